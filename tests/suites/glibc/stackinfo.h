/* In the place of a header of the same name that glibc's support code wants. */
#define _STACK_GROWS_DOWN 1
