// See options.h. The table below is the only list of these options; the error message prints it.
#include "options.h"
#include <algorithm>
#include <cstdio>
#include <functional>

namespace charcoal::driver {

namespace {

struct CharcoalOption {
  std::string spelling;                                                 // ends in '=' when a value follows
  const char *values;                                                   // what may follow, for the error message
  std::function<bool(CharcoalOptions &, const std::string &value)> set; // returns false if the option does not take
                                                                        // this value
};

bool setYields(CharcoalOptions &options, const std::string &value) {
  options.yields = value;
  return value == "none" || value == "calls" || value == "loops";
}

bool setDump(CharcoalOptions &options, const std::string &value) {
  options.dump = value;
  return !value.empty();
}

const char *const warnings[] = {"blocking", "dangling", "loop-variable", "lost-update"};

const CharcoalOption plainOptions[] = {
    {"-fcharcoal", "", [](CharcoalOptions &o, const std::string &) { return o.enabled = true; }},
    {"-fno-charcoal", "", [](CharcoalOptions &o, const std::string &) { return !(o.enabled = false); }},
    {"-fcharcoal-stress", "", [](CharcoalOptions &o, const std::string &) { return o.stress = true; }},
    {"-fno-charcoal-stress", "", [](CharcoalOptions &o, const std::string &) { return !(o.stress = false); }},
    {"-fcharcoal-yields=", "none, calls, loops", setYields},
    {"-fcharcoal-checks", "", [](CharcoalOptions &o, const std::string &) { return *(o.checks = true); }},
    {"-fno-charcoal-checks", "", [](CharcoalOptions &o, const std::string &) { return !*(o.checks = false); }},
    {"-fcharcoal-atomicity", "", [](CharcoalOptions &o, const std::string &) { return o.atomicity = true; }},
    {"-fno-charcoal-atomicity", "", [](CharcoalOptions &o, const std::string &) { return !(o.atomicity = false); }},
    {"-fcharcoal-dialect", "", [](CharcoalOptions &o, const std::string &) { return o.dialect = true; }},
    {"-fno-charcoal-dialect", "", [](CharcoalOptions &o, const std::string &) { return !(o.dialect = false); }},
    {"-fcharcoal-dump=", "a stage named by --charcoal-print-pipeline", setDump},
    {"-Rcharcoal", "", [](CharcoalOptions &o, const std::string &) { return o.remarks = true; }},
    {"--charcoal-print-pipeline", "", [](CharcoalOptions &o, const std::string &) { return o.printPipeline = true; }},
};

// -Wname, -Wno-name, -Werror=name, -Wno-error=name, as clang has it for its own warnings. The plugin takes them in
// order.
std::vector<CharcoalOption> allOptions() {
  std::vector<CharcoalOption> result(std::begin(plainOptions), std::end(plainOptions) - 1);
  for (const std::string name : warnings)
    for (const auto &[prefix, mode] :
         {std::pair("-W", "on"), {"-Wno-", "silent"}, {"-Werror=", "error"}, {"-Wno-error=", "warning"}})
      result.push_back(
          {prefix + ("charcoal-" + name), "", [argument = name + "=" + mode](CharcoalOptions &o, const std::string &) {
             o.warnings.push_back(argument);
             return true;
           }});
  result.push_back(*std::prev(std::end(plainOptions)));
  return result;
}

const std::vector<CharcoalOption> table = allOptions();

bool startsWith(const std::string &text, const std::string &prefix) {
  return text.compare(0, prefix.size(), prefix) == 0;
}

// Number of letters to insert, delete or change to get from one word to the other.
size_t distance(const std::string &from, const std::string &to) {
  std::vector<size_t> row(to.size() + 1);
  for (size_t j = 0; j <= to.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= from.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= to.size(); ++j) {
      size_t changed = diagonal + (from[i - 1] != to[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row[to.size()];
}

void explainUnknown(const std::string &argument) {
  std::string name = argument.substr(0, argument.find('='));
  const CharcoalOption *nearest = nullptr;
  size_t best = 4; // farther than this is no misspelling
  for (const CharcoalOption &option : table) {
    std::string spelling = option.spelling;
    if (size_t d = distance(name, spelling.substr(0, spelling.find('='))); d < best)
      best = d, nearest = &option;
  }
  std::fprintf(stderr, "charcoal-cc: error: unknown option '%s'", argument.c_str());
  if (nearest)
    std::fprintf(stderr, "; did you mean '%s'?", nearest->spelling.c_str());
  std::fprintf(stderr, "\ncharcoal-cc: note: its own options are:\n");
  for (const CharcoalOption &option : table)
    std::fprintf(stderr, "  %s%s\n", option.spelling.c_str(),
                 *option.values ? ("<" + std::string(option.values) + ">").c_str() : "");
}

// Whether an argument is meant to be an option of charcoal-cc, even if it is misspelt.
bool isOurs(const std::string &argument) {
  for (const char *prefix : {"-fcharcoal", "-fno-charcoal", "-Rcharcoal", "-Wcharcoal", "-Wno-charcoal",
                             "-Werror=charcoal", "-Wno-error=charcoal", "--charcoal"})
    if (startsWith(argument, prefix))
      return true;
  return false;
}

} // namespace

std::optional<CharcoalOptions> takeCharcoalOptions(std::vector<std::string> &arguments) {
  CharcoalOptions options;
  std::vector<std::string> rest;
  bool argumentOfX = false; // -Xclang and the like: the next argument is not for charcoal-cc
  for (const std::string &argument : arguments) {
    bool skip = argumentOfX;
    argumentOfX = startsWith(argument, "-X") || argument == "-mllvm";
    if (skip || !isOurs(argument)) {
      rest.push_back(argument);
      continue;
    }
    const CharcoalOption *found = nullptr;
    std::string value;
    for (const CharcoalOption &option : table) {
      std::string spelling = option.spelling;
      bool takesValue = spelling.back() == '=';
      if (takesValue ? startsWith(argument, spelling) : argument == spelling)
        found = &option, value = takesValue ? argument.substr(spelling.size()) : "";
    }
    if (!found) {
      explainUnknown(argument);
      return std::nullopt;
    }
    if (!found->set(options, value)) {
      std::fprintf(stderr, "charcoal-cc: error: invalid value '%s' in '%s'; it takes %s\n", value.c_str(),
                   argument.c_str(), found->values);
      return std::nullopt;
    }
  }
  arguments = rest;
  return options;
}

} // namespace charcoal::driver
