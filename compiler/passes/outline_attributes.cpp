// The attributes of a helper, in pass `outline`. clang makes the helper as if it belonged to no function, so it has the
// attributes that follow from the options alone. Those by which the program says how the code of the function is to be
// made (its processor, its sanitizers, its size) hold for the function's blocks as well.
//
//   before                                             after
//     define void @f() "target-features"="+sse4.2"       define void @f() "target-features"="+sse4.2"
//     define void @__captured_stmt(%context)             define void @__captured_stmt(%context)
//         "target-features"="+sse2"                          "target-features"="+sse4.2"
#include "outliner.h"

using namespace llvm;

namespace charcoal {

// Others say what a call of the function does, or how often it is called; that need not hold for a part of it.
static constexpr Attribute::AttrKind aboutCode[] = {Attribute::DisableSanitizerInstrumentation,
                                                    Attribute::FnRetThunkExtern,
                                                    Attribute::MinSize,
                                                    Attribute::NoCfCheck,
                                                    Attribute::NoImplicitFloat,
                                                    Attribute::NoProfile,
                                                    Attribute::NoRedZone,
                                                    Attribute::NoSanitizeBounds,
                                                    Attribute::NoSanitizeCoverage,
                                                    Attribute::NullPointerIsValid,
                                                    Attribute::OptimizeForSize,
                                                    Attribute::SafeStack,
                                                    Attribute::SanitizeAddress,
                                                    Attribute::SanitizeHWAddress,
                                                    Attribute::SanitizeMemTag,
                                                    Attribute::SanitizeMemory,
                                                    Attribute::SanitizeThread,
                                                    Attribute::SanitizeType,
                                                    Attribute::ShadowCallStack,
                                                    Attribute::SkipProfile,
                                                    Attribute::SpeculativeLoadHardening,
                                                    Attribute::StackProtect,
                                                    Attribute::StackProtectReq,
                                                    Attribute::StackProtectStrong,
                                                    Attribute::StrictFP};

// Of the attributes that are strings, most are about the code. The width of vectors is clang's finding about each
// function, and the rest is about calls.
static bool isAboutCode(Attribute A) {
  const StringRef kind = A.getKindAsString();
  return !kind.starts_with("charcoal-") && !kind.starts_with("aarch64_") && !kind.starts_with("alloc-") &&
         !is_contained({"min-legal-vector-width", "interrupt", "no_caller_saved_registers", "no_callee_saved_registers",
                        "call-inline-cost"},
                       kind);
}

void inheritAttributes(Function &helper, const Function &spawner) {
  if (spawner.hasFnAttribute(Attribute::OptimizeNone)) {
    helper.removeFnAttr(Attribute::AlwaysInline);
    helper.addFnAttr(Attribute::NoInline);
    helper.addFnAttr(Attribute::OptimizeNone);
  }
  for (Attribute::AttrKind kind : aboutCode) {
    helper.removeFnAttr(kind);
    if (spawner.hasFnAttribute(kind))
      helper.addFnAttr(kind);
  }
  // A function that is always inlined is optimised without optimization, too; its blocks are not.
  if (helper.hasFnAttribute(Attribute::OptimizeNone)) {
    helper.removeFnAttr(Attribute::MinSize);
    helper.removeFnAttr(Attribute::OptimizeForSize);
  }
  const AttributeSet old = helper.getAttributes().getFnAttrs();
  for (Attribute A : old)
    if (A.isStringAttribute() && isAboutCode(A))
      helper.removeFnAttr(A.getKindAsString());
  for (Attribute A : spawner.getAttributes().getFnAttrs())
    if (A.isStringAttribute() && isAboutCode(A))
      helper.addFnAttr(A);
}

} // namespace charcoal
