#ifndef ASSAY_CONFORMANCE_REPORT_ESCAPE_H_
#define ASSAY_CONFORMANCE_REPORT_ESCAPE_H_

#include <string>
#include <string_view>

namespace assay {

// Text as text, in HTML and in Markdown that allows HTML: & < > " ' ` * _ [ ] | become entities.
std::string Html(std::string_view text);
// Text in XML 1.0: & < > " ' become entities; what XML cannot hold, and bytes that are not UTF-8,
// become U+FFFD.
std::string Xml(std::string_view text);
// JSON that stands inside <script>: every < becomes the escape of the same character.
std::string InScript(std::string json);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_REPORT_ESCAPE_H_
