// folders.js - files as a tree of folders with sums, as rows of a table: names are relative to the
// folder that all files are in, and a folder that holds one folder alone shares a row with it.

// files: objects with `name`. parts: the keys whose numbers are added up. Returns the folder that
// all are in ("" if there is none) and the root; an item has { label, path, depth, folder, file,
// items, count }, the sums, and the highest suspicion of what is in it.
function foldersOf(files, parts) {
  const split = files.map(file => file.name.split('/'));
  const first = split[0] || [];
  let shared = 0;
  while (split.length && split.every(names =>
    shared < names.length - 1 && names[shared] === first[shared])) shared++;
  const make = (path, label) => {
    const item = { path, label, items: [], of: new Map(), file: null, count: 0, suspicion: 0 };
    for (const part of parts) item[part] = 0;
    return item;
  };
  const root = make(first.slice(0, shared).join('/'), '');
  files.forEach((file, k) => {
    const names = split[k].slice(shared);
    let at = root;
    for (let depth = 0; ; depth++) {
      at.count++;
      for (const part of parts) at[part] += file[part];
      at.suspicion = Math.max(at.suspicion, file.suspicion || 0);
      if (depth === names.length - 1) break;
      if (!at.of.has(names[depth])) {
        const path = split[k].slice(0, shared + depth + 1).join('/');
        at.of.set(names[depth], make(path, names[depth] + '/'));
        at.items.push(at.of.get(names[depth]));
      }
      at = at.of.get(names[depth]);
    }
    const label = names[names.length - 1];
    at.items.push({ ...file, label, path: file.name, items: [], file, count: 1 });
  });
  const settle = (item, depth) => {
    while (item !== root && item.items.length === 1 && !item.items[0].file) {
      const only = item.items[0];
      item.label += only.label;
      item.path = only.path;
      item.items = only.items;
    }
    item.depth = depth;
    for (const below of item.items) settle(below, depth + 1);
  };
  settle(root, -1);
  return { folder: root.path ? root.path + '/' : shared ? '/' : '', root };
}
// The rows that show: folders before files, each group in the order of `compare`; what is below a
// folder that is not open does not.
function folderRows(root, compare, isOpen) {
  const rows = [];
  const walk = item => {
    const sorted = [...item.items].sort((a, b) =>
      (a.file ? 1 : 0) - (b.file ? 1 : 0) || compare(a, b) ||
      (a.label < b.label ? -1 : a.label > b.label ? 1 : 0));
    for (const below of sorted) {
      rows.push(below);
      if (!below.file && isOpen(below)) walk(below);
    }
  };
  walk(root);
  return rows;
}
