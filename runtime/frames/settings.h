/* Settings that a user gives in the environment. A value that a variable does not take is reported and ignored, so that
 * no setting is silently without effect; so is a variable whose name is misspelled. A variable that is empty counts as
 * not set. */
#ifndef CHARCOAL_FRAMES_SETTINGS_H
#define CHARCOAL_FRAMES_SETTINGS_H

#include "frames/attributes.h"

/* The number in the variable; `otherwise` if it is not set, or not a number from `least` to `most`. */
CH_HIDDEN CH_COLD long ch_setting_number(const char *name, long least, long most, long otherwise);
/* The index of the variable's value among `words`, which NULL ends; -1 if it is not set, or none of them. */
CH_HIDDEN CH_COLD int ch_setting_word(const char *name, const char *const words[]);
/* Reports each variable of the environment whose name is nearly that of a setting. A name that is far from all of them
 * may be the program's own. */
CH_HIDDEN CH_COLD void ch_settings_misspelled(void);
/* Says that the value of the variable is ignored, and why. */
CH_HIDDEN CH_COLD void ch_setting_is_ignored(const char *name, const char *value, const char *why);

#endif
