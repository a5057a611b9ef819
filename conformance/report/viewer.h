#ifndef ASSAY_CONFORMANCE_REPORT_VIEWER_H_
#define ASSAY_CONFORMANCE_REPORT_VIEWER_H_

#include <string_view>

namespace assay {

// The files of conformance/report/viewer/, put into the program by embed.cmake.
std::string_view ViewerStyle();   // *.css
std::string_view ViewerBody();    // viewer.html, <body> and what is in it
std::string_view ViewerScript();  // *.js, in the order of their names

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_REPORT_VIEWER_H_
