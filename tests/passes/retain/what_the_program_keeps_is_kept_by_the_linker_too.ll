; What it marked as used, and what it put into a section by name. Not what nobody can look for.
@info = internal constant [8 x i8] c"version\00", section ".build_info"
@command = constant i32 1, section "commands"
@local = internal constant i32 2, section "commands"
@plain = constant i32 3
@llvm.compiler.used = appending global [1 x ptr] [ptr @info], section "llvm.metadata"
; CHECK: @llvm.used = appending global [2 x ptr] [ptr @info, ptr @command], section "llvm.metadata"
