/* The part of the contract between generated code and the runtime (charcoal_abi.h) that is about functions declared
 * `ch_never_waits`, in modules compiled with checks. */
#ifndef CHARCOAL_PROMISES_H
#define CHARCOAL_PROMISES_H

/* In ch_frame_info.flags, beside CH_FRAME_HOME and CH_FRAME_ENTRY: the function is declared so. A branch in which such
 * a frame is suspended by a wait ends the program with a message. */
#define CH_FRAME_NEVER_WAITS 4u

/* void ch_never_waits_is_checked(void): such waits are looked for from now on. A module that has such functions calls
 * it when it is loaded. */

#endif
