// Runs clang: in place of this process, or as a child with a folder for its temporary files.
#ifndef CHARCOAL_DRIVER_RUN_H
#define CHARCOAL_DRIVER_RUN_H

#include <string>
#include <vector>

namespace charcoal::driver {

// Becomes clang. Returns only if that is impossible, with the exit status after explaining why.
int become(const std::vector<std::string> &command);

// Runs clang as a child whose temporary files lie in a folder of their own, removed afterwards however
// clang ends. If a signal ends it (or us), `output` is removed if it has been touched: a linker may have
// left half of it. Returns clang's exit status, or ends by the same signal. `responseFile`, if not empty, is
// the text of a file in that folder that is passed as last argument, @file.
int runGuarded(const std::vector<std::string> &command, const std::string &output, const std::string &responseFile);

} // namespace charcoal::driver

#endif
