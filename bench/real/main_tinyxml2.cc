// main_tinyxml2.cc - reads an XML file, visits each element and prints it again.
#include "tinyxml2.h"
#include <cstdio>

static int count(const tinyxml2::XMLElement *e) {
    int n = 0;
    for (; e; e = e->NextSiblingElement()) n += 1 + e->IntAttribute("n") + count(e->FirstChildElement());
    return n;
}

int main(int argc, char **argv) {
    tinyxml2::XMLDocument document;
    tinyxml2::XMLPrinter printer;
    if (document.LoadFile(argc > 1 ? argv[1] : "") != tinyxml2::XML_SUCCESS) return 1;
    document.Print(&printer);
    std::printf("%d %d\n", count(document.RootElement()), (int)printer.CStrSize());
    return 0;
}
