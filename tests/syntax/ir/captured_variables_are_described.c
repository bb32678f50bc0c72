// By reference through the record, by value in it, under the names that the user gave.
// OPTIONS: -O0 -g
// STAGE: outline
#include <charcoal.h>
void use(int *, int);
void f(int shared, int copied) {
  activate (copied) { use(&shared, copied); }
}
// CHECK-LABEL: define internal void @f.activity(
// CHECK-SAME: !dbg ![[F:[0-9]+]]
// CHECK-DAG: #dbg_declare(ptr %{{.*}}, ![[SHARED:[0-9]+]], !DIExpression(DW_OP_deref, DW_OP_deref)
// CHECK-DAG: #dbg_declare(ptr %{{.*}}, ![[COPIED:[0-9]+]], !DIExpression(DW_OP_deref, DW_OP_plus_uconst, 8)
// CHECK-DAG: ![[F]] = distinct !DISubprogram(name: "f.activity"
// CHECK-DAG: ![[SHARED]] = !DILocalVariable(name: "shared", scope: ![[F]]
// CHECK-DAG: ![[COPIED]] = !DILocalVariable(name: "copied", scope: ![[F]]
