// See wrapped.h.
#include "wrapped.h"
#include "charcoal_abi.h"
#include "inputs.h"
#include "symbols.h"
#include <set>

namespace charcoal::driver {

using Names = std::set<std::string>;

static void addRest(const std::string &symbol, const std::string &prefix, Names &rests) {
  if (symbol.compare(0, prefix.size(), prefix) == 0)
    rests.insert(symbol.substr(prefix.size()));
}

std::vector<std::string> optionsForWrapped(const Request &request) {
  std::vector<std::string> result;
  if (request.wrapped.empty())
    return result;
  for (const std::string &wrapped : request.wrapped) {
    Names direct, asking; // signatures
    for (const std::string &file : linkedFiles(request))
      for (const ObjectSymbols &object : symbolsOf(file, "charcoal."))
        for (const auto &[symbol, kind] : object.symbols) {
          addRest(symbol, CH_DIRECT_PREFIX + wrapped + ".", direct);
          addRest(symbol, CH_EXTERNAL_PREFIX + wrapped + ".", asking);
        }
    for (const std::string &signature : direct)
      if (asking.count(signature) != 0) // otherwise no other module calls it directly
        result.push_back("-Wl,--defsym=" CH_DIRECT_PREFIX + wrapped + "." + signature + "=" CH_EXTERNAL_PREFIX +
                         wrapped + "." + signature);
  }
  return result;
}

} // namespace charcoal::driver
