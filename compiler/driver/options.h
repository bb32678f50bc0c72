// The options of charcoal-cc that clang does not have. They are taken out of the command line before clang sees it.
#ifndef CHARCOAL_DRIVER_OPTIONS_H
#define CHARCOAL_DRIVER_OPTIONS_H

#include <optional>
#include <string>
#include <vector>

namespace charcoal::driver {

struct CharcoalOptions {
  bool enabled = true; // -fno-charcoal: plain clang
  bool stress = false;
  bool atomicity = false;
  bool remarks = false;
  bool dialect = false;              // the dialect without an #include <charcoal.h>
  std::vector<std::string> warnings; // as compiler/syntax/warnings.h takes them: "blocking=error"
  bool printPipeline = false;
  std::string yields = "calls";
  std::string dump;
  std::optional<bool> checks; // unset: on exactly when clang does not optimize
};

// Moves these options from `arguments` into the result. If one is wrong it says so on stderr and returns nothing.
std::optional<CharcoalOptions> takeCharcoalOptions(std::vector<std::string> &arguments);

} // namespace charcoal::driver

#endif
