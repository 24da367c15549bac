/* main_expat.c - writes a document of argv[1] records as XML text, then argv[2]
   times parses it in pieces of 4096 bytes; each time prints how many elements,
   attributes and bytes of text it had, and a checksum of all that was told. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "expat.h"

typedef struct {
    unsigned elements, attributes, text, sum;
    int depth;
} seen;

static unsigned seed = 12345;
static unsigned next(unsigned n) {
    seed = seed * 1103515245u + 12345u;
    return seed / 65536 % n;
}

static unsigned checksum(unsigned sum, const char *s, int length) {
    for (int i = 0; i < length; i++) sum = sum * 31 + (unsigned char)s[i];
    return sum;
}

static unsigned string(unsigned sum, const char *s) { return checksum(sum, s, (int)strlen(s)); }

static void XMLCALL start(void *user, const XML_Char *name, const XML_Char **attributes) {
    seen *s = user;
    s->elements++;
    s->sum = string(s->sum, name) + (unsigned)++s->depth;
    for (; *attributes; attributes += 2) {
        s->attributes++;
        s->sum = string(string(s->sum, attributes[0]), attributes[1]);
    }
}

static void XMLCALL end(void *user, const XML_Char *name) {
    seen *s = user;
    s->sum = string(s->sum, name) - (unsigned)s->depth--;
}

static void XMLCALL text(void *user, const XML_Char *said, int length) {
    seen *s = user;
    s->text += (unsigned)length;
    s->sum = checksum(s->sum, said, length);
}

static char *document(int records) {
    size_t room = (size_t)records * 400 + 400;
    char *out = malloc(room), *p = out;
    if (!out) exit(1);
    p += sprintf(p, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE all [<!ENTITY made "
                    "\"by nobody &amp; nothing\"><!ATTLIST tag kind CDATA \"usual\">]>\n"
                    "<all xmlns=\"urn:all\" xmlns:n=\"urn:names\">\n");
    for (int i = 0; i < records; i++) {
        p += sprintf(p, " <n:record id=\"%d\" n:active='%s' score = \"%u.%03u\">\n", i,
            next(2) ? "true" : "false", next(1000), next(1000));
        p += sprintf(p, "  <name>record \xc3\xa9 %u &lt;%c&gt; &made;&#x20AC;</name>", next(100000),
            (int)('a' + next(26)));
        for (unsigned k = 0, n = next(6); k < n; k++)
            p += sprintf(p, "<tag%s>%u</tag>", next(2) ? " kind=\"rare\"" : "", next(50));
        if (next(4) == 0) p += sprintf(p, "<!-- %u --><raw><![CDATA[a < %u && b]]></raw>", i, next(9));
        p += sprintf(p, "<empty/>\n </n:record>\n");
    }
    sprintf(p, "</all>\n");
    return out;
}

int main(int argc, char **argv) {
    if (argc < 3) return fprintf(stderr, "usage: expat RECORDS TIMES\n"), 1;
    char *all = document(atoi(argv[1]));
    size_t size = strlen(all);
    for (int i = 0; i < atoi(argv[2]); i++) {
        seen s = {0, 0, 0, 0, 0};
        XML_Parser parser = XML_ParserCreateNS(NULL, '|');
        if (!parser || !XML_SetHashSalt(parser, 1)) return 1;
        XML_SetUserData(parser, &s);
        XML_SetElementHandler(parser, start, end);
        XML_SetCharacterDataHandler(parser, text);
        for (size_t at = 0; at < size; at += 4096) {
            size_t piece = size - at < 4096 ? size - at : 4096;
            if (!XML_Parse(parser, all + at, (int)piece, at + piece == size)) {
                printf("%s\n", XML_ErrorString(XML_GetErrorCode(parser)));
                return 1;
            }
        }
        XML_ParserFree(parser);
        printf("%u %u %u %08x\n", s.elements, s.attributes, s.text, s.sum);
    }
    free(all);
    return 0;
}
