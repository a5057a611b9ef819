// A shared library that is no subject: it does not export assay_open.
extern "C" __attribute__((visibility("default"))) const int assay_no_entry = 1;
