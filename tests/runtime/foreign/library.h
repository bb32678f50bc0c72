/* What the C library offers to its C++ user, and the other way round. */
#ifdef __cplusplus
extern "C" {
#endif
int lib_wait(int ms);                          /* of an activity: 7 */
void lib_leave_behind(const char *text);       /* an activity that prints it */
void lib_activate(void (*fn)(void *), void *); /* fn(argument) in an activity */
void lib_call(void (*fn)(void *), void *);     /* fn(argument) through frames of C */
int lib_all_ended(void);                       /* of lib_activate */
int cpp_in_catch(const char *what, int ms, int ms_after);
#ifdef __cplusplus
}
#endif
