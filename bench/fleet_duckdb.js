// fleet_duckdb.js NODE_MODULES SQL - runs the queries of docs/fleet.md in DuckDB, where the line of
// sqlite3 that reads rows.csv is a copy. Prints the rows of each query as CSV, without a head.
'use strict';
const fs = require('fs');
const { DuckDBInstance } = require(process.argv[2] + '/@duckdb/node-api');

function cell(value) {
  if (value === null) return '';
  return String(value);
}

async function main() {
  const text = fs.readFileSync(process.argv[3], 'utf8')
    .replace('.import --csv rows.csv rows', "copy rows from 'rows.csv';");
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  for (const statement of text.split(';').filter((s) => s.trim())) {
    const result = await connection.runAndReadAll(statement);
    if (/^\s*select/.test(statement))
      for (const row of result.getRows()) console.log(row.map(cell).join(','));
  }
}

main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
