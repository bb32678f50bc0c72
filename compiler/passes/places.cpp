// Writes the tables of source places that places.h describes.
#include "places.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DebugInfo.h"

using namespace llvm;

namespace charcoal {

// Innermost first; ends with the place in the function itself.
static SmallVector<const DILocation *> chainOf(const Point &P) {
  SmallVector<const DILocation *> chain;
  for (const DILocation *L = P.at->getDebugLoc().get(); L; L = L->getInlinedAt())
    chain.push_back(L);
  return chain;
}

static Constant *table(Abi &abi, Constant *data, Align align, StringRef name) {
  auto *G = new GlobalVariable(abi.M, data->getType(), true, GlobalValue::PrivateLinkage, data, name);
  G->setAlignment(align);
  G->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  return G;
}

Constant *linesOfPoints(Abi &abi, Function &F, ArrayRef<Point> points) {
  if (!F.getSubprogram())
    return nullptr;
  SmallVector<uint32_t> lines;
  for (const Point &P : points) {
    auto chain = chainOf(P);
    lines.push_back(chain.empty() ? 0 : chain.back()->getLine());
  }
  return table(abi, ConstantDataArray::get(abi.C, lines), Align(4), "charcoal.lines");
}

Constant *inlinedAtPoints(Glue &glue, Abi &abi, Function &F, ArrayRef<Point> points) {
  if (!F.getSubprogram())
    return nullptr;
  auto *type = StructType::get(abi.C, {abi.Ptr, abi.Ptr, abi.Ptr, abi.I32, abi.I32});
  static_assert(sizeof(struct ch_inlined) == 32, "struct ch_inlined has changed");
  Constant *null = ConstantPointerNull::get(abi.Ptr);
  DenseMap<const DILocation *, Constant *> made; // points in the same inlined body share the constants of its callers
  SmallVector<Constant *> places;
  bool any = false;
  for (const Point &P : points) {
    auto chain = chainOf(P);
    Constant *caller = null;
    for (unsigned i = chain.size(); i-- > 0;) {
      const DILocation *L = chain[i];
      if (!L->getInlinedAt())
        continue; // the place is in the function itself
      Constant *&place = made[L];
      if (!place) {
        DISubprogram *inlined = L->getScope()->getSubprogram();
        place = table(abi,
                      ConstantStruct::get(type, {caller, glue.string(inlined->getName()), glue.string(L->getFilename()),
                                                 abi.number(L->getLine()), abi.number(0)}),
                      Align(8), "charcoal.inlined");
      }
      caller = place;
      any = true;
    }
    places.push_back(caller);
  }
  if (!any)
    return nullptr;
  return table(abi, ConstantArray::get(ArrayType::get(abi.Ptr, places.size()), places), Align(8), "charcoal.inlined");
}

static void label(DIBuilder &debug, DISubprogram *scope, const Twine &name, unsigned line, BasicBlock::iterator at) {
  DILabel *L = debug.createLabel(scope, name.str(), scope->getFile(), line, 0, /*IsArtificial=*/true, std::nullopt,
                                 /*AlwaysPreserve=*/false);
  debug.insertLabel(L, DILocation::get(scope->getContext(), line, 0, scope), at);
}

void labelPoints(Function &F, ArrayRef<Point> points, AllocaInst *image, Instruction *restore, BasicBlock &suspend) {
  DISubprogram *scope = F.getSubprogram();
  if (!scope || scope->getUnit()->getEmissionKind() != DICompileUnit::FullDebug)
    return;
  DIBuilder debug(*F.getParent(), false);
  for (unsigned k = 0; k < points.size(); ++k) {
    auto chain = chainOf(points[k]);
    label(debug, scope, "__charcoal_point_" + Twine(k + 1), chain.empty() ? 0 : chain.back()->getLine(),
          points[k].after->getFirstInsertionPt());
  }
  unsigned line = scope->getScopeLine();
  DILexicalBlock *here = debug.createLexicalBlock(scope, scope->getFile(), line, 0);
  DILocation *place = DILocation::get(F.getContext(), line, 0, here);
  restore->setDebugLoc(place);
  label(debug, scope, "__charcoal_suspend", line, suspend.getFirstInsertionPt());
  label(debug, scope, "__charcoal_restore", line, restore->getIterator());
  DILocalVariable *variable = debug.createAutoVariable(here, "__charcoal_image", scope->getFile(), line,
                                                       debug.createBasicType("char", 8, dwarf::DW_ATE_signed_char),
                                                       true, DINode::FlagArtificial);
  debug.insertDeclare(image, variable, debug.createExpression(), place, image->getParent()->getTerminator());
}

} // namespace charcoal
