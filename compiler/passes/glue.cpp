// See glue.h. Each function whose name determines its body is shared between modules (linkonce), so that a program has
// one entry thunk, one resume stub and one call adapter for each signature.
#include "glue.h"
#include "sizes.h"
#include "suspension_markers.h"
#include "options.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Support/xxhash.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace charcoal {

static AttributeSet conventionOnly(LLVMContext &C, AttributeSet all) {
  AttributeSet kept;
  for (Attribute::AttrKind kind : {Attribute::ZExt, Attribute::SExt, Attribute::InReg, Attribute::ByVal,
                                   Attribute::StructRet, Attribute::StackAlignment}) // of a struct of floats on AArch64
    if (all.hasAttribute(kind))
      kept = kept.addAttributes(C, AttributeSet::get(C, {all.getAttribute(kind)}));
  if (all.hasAttribute(Attribute::ByVal))
    if (all.hasAttribute(Attribute::Alignment))
      kept = kept.addAttributes(C, AttributeSet::get(C, {all.getAttribute(Attribute::Alignment)}));
  return kept;
}

Signature Signature::of(const CallBase &CB) {
  LLVMContext &C = CB.getContext();
  Signature S{CB.getType(), {}, {}, conventionOnly(C, CB.getAttributes().getRetAttrs()), false, CB.getFunction()};
  for (unsigned i = 0; i < CB.arg_size(); ++i) {
    S.params.push_back(CB.getArgOperand(i)->getType());
    S.attributes.push_back(conventionOnly(C, CB.getAttributes().getParamAttrs(i)));
  }
  S.unprototyped = CB.getFnAttr(SuspendsAttr).getValueAsString() == "unprototyped";
  return S;
}

Signature Signature::of(const Function &F) {
  LLVMContext &C = F.getContext();
  Signature S{F.getReturnType(), {}, {}, conventionOnly(C, F.getAttributes().getRetAttrs()), false, &F};
  for (const Argument &A : F.args()) {
    S.params.push_back(A.getType());
    S.attributes.push_back(conventionOnly(C, F.getAttributes().getParamAttrs(A.getArgNo())));
  }
  return S;
}

FunctionType *Signature::plainType() const {
  return unprototyped ? FunctionType::get(result, {}, true) : FunctionType::get(result, params, false);
}
FunctionType *Signature::versionType(Abi &abi) const {
  return FunctionType::get(abi.resultType(result), params, false);
}

AttributeList Signature::versionAttributes(LLVMContext &C) const {
  SmallVector<AttributeSet> sets;
  for (AttributeSet set : attributes)
    sets.push_back(set.hasAttribute(Attribute::ByVal) ? AttributeSet() : set.removeAttribute(C, Attribute::StructRet));
  return AttributeList::get(C, {}, {}, sets);
}
AttributeList Signature::plainAttributes(LLVMContext &C) const {
  return AttributeList::get(C, {}, resultAttributes, attributes);
}

static void setParamAttributes(Function *F, const Signature &S) {
  AttributeList attributes = S.versionAttributes(F->getContext());
  for (unsigned i = 0; i < S.params.size(); ++i)
    for (Attribute A : attributes.getParamAttrs(i))
      F->addParamAttr(i, A);
}

static void mangleType(raw_ostream &out, Type *T) {
  if (auto *S = dyn_cast<StructType>(T)) {
    out << (S->isPacked() ? "Q" : "S");
    for (Type *field : S->elements())
      mangleType(out, field);
    out << 'E';
  } else if (auto *A = dyn_cast<ArrayType>(T)) {
    out << 'A' << A->getNumElements();
    mangleType(out, A->getElementType());
  } else if (auto *V = dyn_cast<FixedVectorType>(T)) {
    out << 'V' << V->getNumElements();
    mangleType(out, V->getElementType());
  } else if (T->isPointerTy()) {
    out << 'p' << T->getPointerAddressSpace();
  } else {
    T->print(out); // i32, double, x86_fp80, …
  }
}

// What clang writes for x86-64 and AArch64 if nobody asks for another processor.
static constexpr struct {
  const char *processor, *features;
} UsualTargets[] = {
    {"x86-64", "+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87"},
    {"generic", "+fp-armv8,+neon,+v8a,-fmv"},
};

std::string suffixOfTarget(const Function &user) {
  const StringRef processor = user.getFnAttribute("target-cpu").getValueAsString();
  const StringRef features = user.getFnAttribute("target-features").getValueAsString();
  const bool keepsRedZone = !user.hasFnAttribute(Attribute::NoRedZone);
  const bool isUsual = (processor.empty() && features.empty()) || any_of(UsualTargets, [&](const auto &usual) {
                         return processor == usual.processor && features == usual.features;
                       });
  if (isUsual && keepsRedZone)
    return "";
  const std::string text = (processor + features + (keepsRedZone ? "" : "-redzone")).str();
  return "." + std::to_string(xxHash64(text));
}

void copyTarget(Function &to, const Function &user) {
  for (StringRef kind : {"target-cpu", "target-features", "tune-cpu", "frame-pointer", "branch-target-enforcement"})
    if (user.hasFnAttribute(kind))
      to.addFnAttr(user.getFnAttribute(kind));
  for (Attribute::AttrKind kind : {Attribute::UWTable, Attribute::NoRedZone})
    if (user.hasFnAttribute(kind))
      to.addFnAttr(user.getFnAttribute(kind));
}

std::string Signature::mangled(const DataLayout &DL) const {
  std::string text;
  raw_string_ostream out(text);
  mangleType(out, result);
  out << '.';
  for (unsigned i = 0; i < params.size(); ++i) {
    AttributeSet A = attributes[i];
    if (Type *T = A.getByValType()) {
      out << 'b' << DL.getTypeAllocSize(T).getFixedValue() << 'a' << A.getAlignment().valueOrOne().value();
      continue;
    }
    mangleType(out, params[i]);
    out << (A.hasAttribute(Attribute::ZExt)   ? "z"
            : A.hasAttribute(Attribute::SExt) ? "s"
                                              : "")
        << (A.hasAttribute(Attribute::InReg) ? "r" : "") << (A.hasAttribute(Attribute::StructRet) ? "t" : "");
    if (MaybeAlign stack = A.getStackAlignment(); stack && *stack > 8) // 8 is the least there
      out << 'k' << stack->value();
  }
  if (unprototyped)
    out << ".u";
  // The target also decides which registers hold a vector.
  out << suffixOfTarget(*user);
  return text;
}

Function *Glue::start(const Twine &name, FunctionType *type, const Signature &S, bool &isNew) {
  std::string text = name.str();
  if (Function *existing = M.getFunction(text)) {
    isNew = false;
    return existing;
  }
  isNew = true;
  auto *F = Function::Create(type, GlobalValue::LinkOnceODRLinkage, text, M);
  F->setComdat(M.getOrInsertComdat(F->getName()));
  F->setVisibility(GlobalValue::HiddenVisibility);
  F->setDSOLocal(true);
  if (!abi.exceptions)
    F->setDoesNotThrow();
  copyTarget(*F, *S.user);
  return F;
}

GlobalVariable *Glue::frameInfo(const Twine &name, Constant *resume, Constant *fn, Constant *text, Constant *file,
                                Constant *lines, unsigned points, unsigned size, unsigned image, unsigned align,
                                unsigned flags, unsigned asyncs, Constant *inlined) {
  Constant *null = ConstantPointerNull::get(abi.Ptr);
  auto orNull = [&](Constant *c) { return c ? c : null; };
  unsigned small = CH_SMALL_FRAME(size, image, align, flags) ? alignTo(size, 16) : 0;
  Constant *value = ConstantStruct::get(
      abi.frameInfoType(), {resume, orNull(fn), orNull(text), orNull(file), orNull(lines), abi.number(points),
                            abi.number(size), abi.number(image), abi.number(align), ConstantInt::get(abi.I16, flags),
                            ConstantInt::get(abi.I16, asyncs), abi.number(small), orNull(inlined)});
  auto *G = new GlobalVariable(M, value->getType(), true, GlobalValue::InternalLinkage, value, name);
  G->setAlignment(Align(8));
  return G;
}

Constant *Glue::string(StringRef text) {
  Constant *&entry = strings[text];
  if (!entry) {
    Constant *data = ConstantDataArray::getString(abi.C, text);
    auto *G = new GlobalVariable(M, data->getType(), true, GlobalValue::PrivateLinkage, data, "charcoal.text");
    G->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    G->setAlignment(Align(1));
    entry = G;
  }
  return entry;
}

BasicBlock *Glue::entryCheck(IRBuilder<> &B, Function *F) {
  auto *cold = BasicBlock::Create(abi.C, "cold", F);
  auto *warm = BasicBlock::Create(abi.C, "warm", F);
  Value *attention = B.CreateIsNotNull(abi.loadAttention(B));
  B.CreateCondBr(attention, cold, warm, MDBuilder(abi.C).createUnlikelyBranchWeights());
  B.SetInsertPoint(warm);
  return cold;
}

static bool isScalar(Type *T) {
  return T->isPointerTy() || T->isFloatTy() || T->isDoubleTy() || (T->isIntegerTy() && T->getIntegerBitWidth() <= 64);
}

// Whether every convention passes these parameters in registers. It says yes only to few and simple ones, because a
// wrong no only costs a stub.
static bool surelyInRegisters(ArrayRef<Type *> params) { return params.size() <= 6 && all_of(params, isScalar); }

// The same for a status and a result of this type, of which RISC-V has two registers and the others have three at
// least. Which vectors are returned in registers depends on the target's features.
static bool surelyReturnedInRegisters(Type *T, bool isRISCV) {
  if (T->isVoidTy() || isScalar(T))
    return true;
  if (auto *S = dyn_cast<StructType>(T))
    return !isRISCV && S->getNumElements() <= 2 && all_of(S->elements(), isScalar);
  return !isRISCV && T->isIntegerTy(128);
}

// The code generator can make a jump of a call with the caller's own arguments if it returns the result in registers.
// For RISC-V it makes none if arguments lie in memory.
CallInst::TailCallKind Glue::tailCallKind(const Signature &S) const {
  const bool isRISCV = Triple(M.getTargetTriple()).isRISCV();
  const bool jumps = surelyReturnedInRegisters(S.result, isRISCV) && (!isRISCV || surelyInRegisters(S.params));
  return jumps ? CallInst::TCK_MustTail : CallInst::TCK_Tail;
}

void Glue::handOn(IRBuilder<> &B, Value *callee, AttributeList attributes, const Signature &S,
                  ArrayRef<Value *> values) {
  SmallVector<Value *> arguments(values);
  if (values.empty())
    for (Argument &A : B.GetInsertBlock()->getParent()->args())
      arguments.push_back(&A);
  CallInst *call = B.CreateCall(S.versionType(abi), callee, arguments);
  call->setAttributes(attributes);
  call->setTailCallKind(tailCallKind(S));
  B.CreateRet(call);
}

// Whether the convention passes a value of this type in a general register as it is. Then the whole register can be
// saved.
static bool isRegister(Type *T) {
  return (T->isPointerTy() && T->getPointerAddressSpace() == 0) || (T->isIntegerTy() && T->getIntegerBitWidth() <= 64);
}

static bool isInRegisters(const Signature &S) {
  return S.params.size() <= 6 && (S.result->isVoidTy() || isRegister(S.result)) && all_of(S.params, isRegister) &&
         none_of(S.attributes,
                 [](AttributeSet A) { return A.hasAttribute(Attribute::ByVal) || A.hasAttribute(Attribute::InReg); });
}

// Where few arguments are in registers, the entry thunk gets the function in the next one. That takes half of the bytes
// of a store to ch_tls.entry.
static constexpr unsigned Few = 3;
static bool handsFunction(const Signature &S) { return S.params.size() <= Few && isInRegisters(S); }

// The signature of the entry thunk for functions of that one. Where arguments and result are in general registers, one
// thunk saves as many registers as a few signatures need, and most functions of a module share two.
static Signature savedAtEntry(Abi &abi, const Signature &S) {
  if (!isInRegisters(S))
    return S;
  Signature registers{abi.I64, {}, {}, {}, false, S.user};
  registers.params.assign(S.params.size() <= Few ? Few : 6, abi.I64);
  registers.attributes.resize(registers.params.size());
  return registers;
}

void Glue::yieldAtEntry(IRBuilder<> &B, Function *self, const Signature &S, ArrayRef<Value *> values) {
  if (handsFunction(S)) {
    SmallVector<Type *> params(S.params);
    SmallVector<Value *> arguments(values);
    if (values.empty())
      for (Argument &A : B.GetInsertBlock()->getParent()->args())
        arguments.push_back(&A);
    params.resize(Few, abi.I64);
    arguments.resize(Few, PoisonValue::get(abi.I64));
    params.push_back(abi.Ptr);
    arguments.push_back(self);
    auto *type = FunctionType::get(abi.resultType(S.result), params, false);
    CallInst *call = B.CreateCall(type, entryThunk(S), arguments);
    call->setAttributes(S.versionAttributes(abi.C));
    call->setTailCall();
    B.CreateRet(call);
    return;
  }
  B.CreateAlignedStore(self, abi.tlsField(B, offsetof(struct ch_tls, entry)), Align(8));
  handOn(B, entryThunk(S), S.versionAttributes(abi.C), S, values);
}

// The image holds the function, ch_tls.callee, and the arguments.
Function *Glue::entryThunk(const Signature &entered) {
  const Signature S = savedAtEntry(abi, entered);
  const DataLayout &DL = M.getDataLayout();
  bool isNew;
  std::string name = S.mangled(DL);
  const bool isHanded = handsFunction(entered);
  SmallVector<Type *> params(S.params);
  if (isHanded)
    params.push_back(abi.Ptr);
  Function *F = start((isHanded ? "charcoal.entry.handed." : "charcoal.entry.") + name,
                      FunctionType::get(abi.resultType(S.result), params, false), S, isNew);
  if (!isNew)
    return F;
  F->addFnAttr(Attribute::Cold);
  F->addFnAttr(Attribute::MinSize);
  F->addFnAttr(Attribute::OptimizeForSize);
  setParamAttributes(F, S);

  SmallVector<Type *> fields{abi.Ptr, abi.Ptr};
  Align align(8);
  for (unsigned i = 0; i < S.params.size(); ++i) {
    Type *byval = S.attributes[i].getByValType();
    fields.push_back(byval ? ArrayType::get(abi.I8, alignTo(DL.getTypeAllocSize(byval).getFixedValue(), 8))
                           : S.params[i]);
  }
  // The offsets are computed here and not by LLVM, because the byte array of a by-value argument needs the alignment of
  // its contents.
  SmallVector<uint64_t> offsets;
  uint64_t end = 0;
  for (unsigned i = 0; i < fields.size(); ++i) {
    Align fieldAlign = DL.getABITypeAlign(fields[i]);
    if (i >= 2)
      if (Type *byval = S.attributes[i - 2].getByValType())
        fieldAlign = std::max(DL.getABITypeAlign(byval), S.attributes[i - 2].getAlignment().valueOrOne());
    align = std::max(align, fieldAlign);
    end = alignTo(end, fieldAlign);
    offsets.push_back(end);
    end += DL.getTypeAllocSize(fields[i]).getFixedValue();
  }
  end = alignTo(end, 8);
  Type *imageType = ArrayType::get(abi.I8, end);
  auto at = [&](IRBuilder<> &B, Value *image, unsigned i) {
    return B.CreateConstInBoundsGEP1_64(abi.I8, image, offsets[i]);
  };
  auto copyByval = [&](IRBuilder<> &B, Value *to, Value *from, unsigned i) {
    Type *T = S.attributes[i].getByValType();
    B.CreateMemCpy(to, Align(1), from, Align(1), DL.getTypeAllocSize(T).getFixedValue());
  };

  Function *resume = start("charcoal.reenter." + name, FunctionType::get(abi.I32, {abi.Ptr}, false), S, isNew);
  resume->addFnAttr(Attribute::MinSize);
  resume->addFnAttr(Attribute::OptimizeForSize);
  GlobalVariable *info = frameInfo("charcoal.entry.info", resume, F, nullptr, nullptr, nullptr, 1,
                                   alignTo(CH_FRAME_HEADER + end, 8), end, 16, CH_FRAME_ENTRY);
  {
    IRBuilder<> B(BasicBlock::Create(abi.C, "", F));
    AllocaInst *image = B.CreateAlloca(imageType);
    image->setAlignment(align);
    auto save = [&](unsigned i, unsigned field) {
      Value *value = B.CreateAlignedLoad(abi.Ptr, abi.tlsField(B, field), Align(8));
      B.CreateAlignedStore(value, at(B, image, i), Align(8));
    };
    if (isHanded)
      B.CreateAlignedStore(F->getArg(S.params.size()), at(B, image, 0), Align(8));
    else
      save(0, offsetof(struct ch_tls, entry));
    save(1, offsetof(struct ch_tls, callee));
    for (unsigned i = 0; i < S.params.size(); ++i) {
      if (S.attributes[i].getByValType())
        copyByval(B, at(B, image, i + 2), F->getArg(i), i);
      else
        B.CreateAlignedStore(F->getArg(i), at(B, image, i + 2), Align(1));
    }
    Value *status = B.CreateCall(suspendOfSize(abi, end), {info, image, B.getInt32(CH_WHY(1, CH_PAUSED))});
    B.CreateRet(abi.makeResult(B, S.result, status, nullptr));
  }
  {
    IRBuilder<> B(BasicBlock::Create(abi.C, "", resume));
    AllocaInst *image = B.CreateAlloca(imageType);
    image->setAlignment(align);
    B.CreateAlignedStore(resume->getArg(0), abi.tlsField(B, offsetof(struct ch_tls, resuming)), Align(8));
    B.CreateCall(restoreOfSize(abi, end), {image});
    Value *entry = B.CreateAlignedLoad(abi.Ptr, at(B, image, 0), Align(8));
    Value *callee = B.CreateAlignedLoad(abi.Ptr, at(B, image, 1), Align(8));
    B.CreateAlignedStore(callee, abi.tlsField(B, offsetof(struct ch_tls, callee)), Align(8));
    SmallVector<Value *> arguments;
    for (unsigned i = 0; i < S.params.size(); ++i) {
      Value *where = at(B, image, i + 2);
      arguments.push_back(S.attributes[i].getByValType() ? where : B.CreateAlignedLoad(S.params[i], where, Align(1)));
    }
    CallInst *result = B.CreateCall(S.versionType(abi), entry, arguments);
    result->setAttributes(S.versionAttributes(abi.C));
    if (!S.result->isVoidTy())
      B.CreateAlignedStore(B.CreateExtractValue(result, 1), abi.tlsField(B, offsetof(struct ch_tls, result)), Align(8));
    B.CreateRet(abi.status(B, result));
  }
  return F;
}

Function *Glue::resumeStub(const Signature &S, bool callsInTailPosition) {
  Signature bare{S.result, {}, {}, {}, false, S.user};
  // Arguments in memory lie in the frame of the function's caller, which is this stub. A call in tail position stores
  // its own ones there, and the code generator loads a vector there as soon as the function is entered, by instructions
  // that end the program if it is not aligned. So the stub passes as many arguments, to make room.
  const bool loadsAligned = any_of(S.params, [&](Type *T) { return M.getDataLayout().getABITypeAlign(T) > Align(16); });
  if ((callsInTailPosition || loadsAligned) && !surelyInRegisters(S.params)) {
    bare.params = S.params;
    bare.attributes = S.attributes;
  }
  bool isNew;
  Function *F = start("charcoal.resume." + bare.mangled(M.getDataLayout()),
                      FunctionType::get(abi.I32, {abi.Ptr}, false), bare, isNew);
  if (!isNew)
    return F;
  IRBuilder<> B(BasicBlock::Create(abi.C, "", F));
  Value *frame = F->getArg(0);
  B.CreateAlignedStore(frame, abi.tlsField(B, offsetof(struct ch_tls, resuming)), Align(8));
  // The whole word is stored, because the function loads it: a load cannot be forwarded from a store of one byte of it.
  B.CreateAlignedStore(B.getInt32(CH_ENTERING), abi.tlsField(B, offsetof(struct ch_tls, attention)), Align(4),
                       /*isVolatile=*/true);
  Value *info = B.CreateAlignedLoad(
      abi.Ptr, B.CreateConstInBoundsGEP1_64(abi.I8, frame, offsetof(struct ch_frame, info)), Align(8));
  Value *fn = B.CreateAlignedLoad(
      abi.Ptr, B.CreateConstInBoundsGEP1_64(abi.I8, info, offsetof(struct ch_frame_info, fn)), Align(8));
  // The arguments are undefined, because the function does not read them on its way to the dispatch.
  SmallVector<Value *> arguments;
  for (Type *T : bare.params)
    arguments.push_back(PoisonValue::get(T));
  CallInst *result = B.CreateCall(bare.versionType(abi), fn, arguments);
  result->setAttributes(bare.versionAttributes(abi.C));
  result->setTailCall(bare.params.empty()); // without a result to be stored, the stub jumps to the function
  if (!S.result->isVoidTy())
    B.CreateAlignedStore(B.CreateExtractValue(result, 1), abi.tlsField(B, offsetof(struct ch_tls, result)), Align(8));
  B.CreateRet(abi.status(B, result));
  return F;
}

// Calls the plain function and reports it as done.
static void callPlain(Abi &abi, IRBuilder<> &B, const Signature &S, Value *callee, Function *self) {
  SmallVector<Value *> arguments;
  for (Argument &A : self->args())
    arguments.push_back(&A);
  CallInst *call = B.CreateCall(S.plainType(), callee, arguments);
  call->setAttributes(S.plainAttributes(abi.C));
  B.CreateRet(abi.makeResult(B, S.result, B.getInt32(CH_DONE), S.result->isVoidTy() ? nullptr : call));
}

Function *Glue::adapter(const Signature &S) {
  bool isNew;
  Function *F = start("charcoal.call." + S.mangled(M.getDataLayout()) + (options().yields == Yields::None ? ".n" : ""),
                      S.versionType(abi), S, isNew);
  if (!isNew)
    return F;
  setParamAttributes(F, S);
  IRBuilder<> B(BasicBlock::Create(abi.C, "", F));
  if (options().yields != Yields::None) {
    BasicBlock *cold = entryCheck(B, F);
    IRBuilder<> slow(cold);
    yieldAtEntry(slow, F, S);
  }
  Value *callee = B.CreateAlignedLoad(abi.Ptr, abi.tlsField(B, offsetof(struct ch_tls, callee)), Align(8));
  callPlain(abi, B, S, callee, F);
  return F;
}

std::string Glue::nameOfDirect(const Signature &S, const Function &version) const {
  StringRef name = version.getName(); // not the plain function's, because of VariadicInfix
  name.consume_back(VersionSuffix);
  return (CH_DIRECT_PREFIX + name + "." + S.mangled(M.getDataLayout())).str() +
         (options().yields == Yields::None ? ".n" : "");
}

static GlobalAlias *hiddenAlias(StringRef name, GlobalValue::LinkageTypes linkage, Function *F) {
  GlobalAlias *alias = GlobalAlias::create(F->getValueType(), 0, linkage, name, F, F->getParent());
  alias->setVisibility(GlobalValue::HiddenVisibility);
  alias->setDSOLocal(true);
  return alias;
}

GlobalValue *Glue::external(const Signature &S, Function *plain, Function *version) {
  const std::string name = nameOfDirect(S, *version);
  if (GlobalValue *known = M.getNamedValue(name))
    return known;
  return hiddenAlias(name, GlobalValue::WeakAnyLinkage, askingExternal(name, S, plain, version));
}

Function *Glue::askingExternal(StringRef name, const Signature &S, Function *plain, Function *version) {
  bool isNew;
  const StringRef rest = name.substr(StringRef(CH_DIRECT_PREFIX).size());
  Function *F = start(CH_EXTERNAL_PREFIX + rest, S.versionType(abi), S, isNew);
  if (!isNew)
    return F;
  setParamAttributes(F, S);
  IRBuilder<> B(BasicBlock::Create(abi.C, "", F));
  auto *interruptible = BasicBlock::Create(abi.C, "version", F), *fallback = BasicBlock::Create(abi.C, "plain", F);
  B.CreateCondBr(B.CreateIsNotNull(version), interruptible, fallback);
  B.SetInsertPoint(interruptible);
  // On AArch64 the code generator makes no tail call of a weak symbol, because a linker may turn such a jump into a
  // nop. The empty assembly hides that the address is a weak symbol.
  Value *address = version;
  if (Triple(M.getTargetTriple()).isAArch64())
    address = B.CreateCall(InlineAsm::get(FunctionType::get(abi.Ptr, {abi.Ptr}, false), "", "=r,0", false), {version});
  handOn(B, address, S.versionAttributes(abi.C), S);
  B.SetInsertPoint(fallback);
  if (options().yields != Yields::None) {
    BasicBlock *cold = entryCheck(B, F);
    IRBuilder<> slow(cold);
    yieldAtEntry(slow, F, S);
  }
  callPlain(abi, B, S, plain, F);
  return F;
}

void Glue::bindDirectly(const Signature &S, Function *version) {
  const std::string name = nameOfDirect(S, *version);
  if (!M.getNamedValue(name))
    hiddenAlias(name, GlobalValue::ExternalLinkage, version);
}

void Glue::guardWeak(const Signature &S, GlobalValue *plain, Function *own) {
  auto *F = Function::Create(S.versionType(abi), own->getLinkage(), "", M);
  F->takeName(own);
  F->copyAttributesFrom(own);
  own->setName(F->getName() + ".here");
  own->setLinkage(GlobalValue::InternalLinkage);
  own->setVisibility(GlobalValue::DefaultVisibility);
  own->replaceUsesWithIf(F, [](Use &U) { return isa<Instruction>(U.getUser()); });
  IRBuilder<> B(BasicBlock::Create(abi.C, "", F));
  auto *ours = BasicBlock::Create(abi.C, "ours", F), *theirs = BasicBlock::Create(abi.C, "theirs", F);
  B.CreateCondBr(B.CreateICmpEQ(plain, bodyInThisModule(*plain)), ours, theirs);
  B.SetInsertPoint(ours);
  handOn(B, own, S.versionAttributes(abi.C), S);
  // If the definition that the linker has chosen had an interruptible version, the linker would have chosen that
  // version, too, instead of this one.
  B.SetInsertPoint(theirs);
  callPlain(abi, B, S, plain, F);
}

} // namespace charcoal
