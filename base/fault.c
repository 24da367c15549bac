/* fault.c - see fault.h. */
#include "base/fault.h"
#include "base/tool.h"
#include <stdarg.h>

int dump_refuse(dump_fault *fault, size_t offset, const char *format, ...) {
    va_list arguments;
    fault->offset = offset;
    va_start(arguments, format);
    vsnprintf(fault->reason, sizeof fault->reason, format, arguments);
    va_end(arguments);
    return -1;
}

int dump_blame(const char *path, const dump_fault *fault) {
    return tool_error("%s: offset %lu: %s", path, (unsigned long)fault->offset, fault->reason);
}
