// How `split` goes about one function. Each part has a file: locals whose address is known elsewhere
// (split_locals.cpp), the points and their edges (split_points.cpp), values that live across a point
// (split_values.cpp), and the ways in and out (split_entry.cpp). split.cpp puts them in order.
#ifndef CHARCOAL_SPLITTER_H
#define CHARCOAL_SPLITTER_H

#include "abi.h"
#include "crossing.h"
#include "glue.h"
#include "guards.h"
#include "taking.h"
#include "webs.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/IR/IRBuilder.h"
#include <optional>

namespace charcoal {

// Splits one function, which already has its new type.
class Splitter {
public:
  Splitter(Abi &abi, Glue &glue, llvm::Function &F, const Signature &signature, llvm::StringRef name)
      : abi(abi), glue(glue), F(F), M(abi.M), DL(M.getDataLayout()), signature(signature), result(signature.result),
        name(name) {}
  void run();

private:
  void takeEntryYield();
  void rewriteTailCalls();
  void collectPoints();
  void copyByvalArguments();
  void lowerDynamicLocals();
  void makePoints();
  void makeAsyncPoint(llvm::CallInst *, llvm::Value *status, llvm::Value *scope, llvm::BasicBlock *after);
  void repeatAddresses(const CrossingValues &);
  void repeatCheap();
  void repeatAddress(llvm::GetElementPtrInst *);
  bool localsShare() const;
  void layOutHomes(llvm::ArrayRef<llvm::AllocaInst *> homes);
  void moveHomes(const Locals &);
  void takeFrames(llvm::ArrayRef<llvm::AllocaInst *> homes);
  void takeFrame(llvm::Instruction *before, bool again);
  void giveFrames(const Taking &);
  bool isFrame(const llvm::Value *V) const { return is_contained(frames, V); }
  void connect();
  using ValueSet = llvm::DenseSet<const llvm::Value *>;
  void keep();
  ValueSet valuesInRegister(const CrossingValues &, const llvm::BlockFrequencyInfo &);
  ValueSet chooseSlots(std::optional<CrossingValues> &);
  void makeWebs(const Webs &);
  void choosePhisInMemory(const Webs &, const CrossingValues &, const llvm::BlockFrequencyInfo &);
  bool isResult(const llvm::PHINode &phi) const { return resultPhis.contains(&phi); }
  bool belongsInMemory(const CrossingValues &, const CrossingValues::Value &, const llvm::BlockFrequencyInfo &) const;
  void eraseInMemory();
  void keepInRegister(const CrossingValues &, const CrossingValues::Value &);
  void keepInImage(const CrossingValues &, const CrossingValues::Value &);
  struct Uses {
    llvm::SmallVector<llvm::Use *> reloaded, behindYields, direct;
    llvm::SmallVector<unsigned> yields; // behind which the value is still in its register
  };
  Uses usesOf(const CrossingValues &, const CrossingValues::Value &) const;
  llvm::Instruction *placeOfUse(const llvm::Use &) const;
  void loadForUses(llvm::ArrayRef<llvm::Use *>, llvm::AllocaInst *slot, const llvm::Twine &name);
  llvm::SmallVector<unsigned> yieldsInRegister(const CrossingValues::Value &) const;
  using Blocks = llvm::SmallPtrSet<const llvm::BasicBlock *, 16>;
  Blocks reachedFromOthers(const CrossingValues &, const CrossingValues::Value &,
                           llvm::ArrayRef<unsigned> yields) const;
  llvm::AllocaInst *newSlot(llvm::Type *, const llvm::Twine &name);
  void layOutImage();
  llvm::SmallVector<llvm::Value *> argumentsKeptByVariables(llvm::BasicBlock *entry, llvm::BasicBlock *yield);
  void addEntry();
  llvm::BasicBlock &addSuspendTail();
  llvm::PHINode *countPoints(llvm::BasicBlock *suspend, unsigned group, unsigned unit);
  llvm::Value *reloadResult(llvm::IRBuilder<> &, llvm::Type *, llvm::Value *word);
  bool isWord(llvm::Type *) const;
  void passResultsThroughMemory();
  llvm::DebugLoc atEntry() const;
  llvm::DebugLoc placeOfCheck() const;
  void rewriteReturns();
  void makeInfos();
  llvm::CallInst *newCall(llvm::CallInst *);
  llvm::Instruction *afterAllocas(llvm::BasicBlock &) const;
  llvm::Instruction *endOfActivation(llvm::BasicBlock &) const;

  Abi &abi;
  Glue &glue;
  llvm::Function &F;
  llvm::Module &M;
  const llvm::DataLayout &DL;
  const Signature &signature;
  llvm::Type *result; // T
  llvm::StringRef name;

  bool yieldsAtEntry = false;
  llvm::SmallPtrSet<const llvm::Instruction *, 4> tailCalls;
  llvm::SmallVector<llvm::CallInst *> calls; // what becomes points
  unsigned asyncs = 0;                       // the first so many of them are `async` statements
  llvm::SmallVector<Point> points;
  llvm::SmallVector<llvm::Value *> statuses;               // of points[k], at the end of its block
  llvm::SmallVector<llvm::PHINode *> results;              // of points[k]: value of the call, or null
  llvm::SmallPtrSet<const llvm::PHINode *, 16> resultPhis; // the same
  llvm::SmallVector<uint64_t> frequencies;                 // of points[k]; none where code is to be small
  llvm::BasicBlock *dispatch = nullptr;
  llvm::CallInst *restore = nullptr;   // in it
  llvm::Value *restoredWord = nullptr; // the first word of the result of the call that has been waited for
  llvm::SmallVector<llvm::BasicBlock *> suspendingBlocks; // of points[k]: on the way to suspension
  llvm::SmallVector<llvm::BasicBlock *> restoredBlocks;   // of points[k]: on the way back
  llvm::BasicBlock *body = nullptr;                       // where the activation begins
  llvm::AllocaInst *dynamicLocals = nullptr;              // head of the list of variable-length locals
  llvm::SmallVector<llvm::Instruction *, 2> frames; // the frame, if there are homes: behind each place of `Taking`
  llvm::SmallVector<llvm::CallInst *, 2> takings;   // there
  bool takesFrameLate = false;                      // until it is taken the slot holds null
  llvm::AllocaInst *frameSlot = nullptr;            // holds it, in the image
  llvm::Value *framePlace = nullptr;                // the slot's address, once laid out
  std::optional<Guards> guards;                     // between the homes, under AddressSanitizer
  uint64_t homesEnd = 0;                            // offset in the frame's home part
  llvm::Align homesAlign{8};
  llvm::SmallVector<std::pair<llvm::AllocaInst *, uint64_t>> homeOffsets;
  llvm::SmallVector<llvm::AllocaInst *> slots;                 // everything that is part of the image
  llvm::SmallPtrSet<const llvm::AllocaInst *, 8> aloneInImage; // those that share their places with no other
  struct SharedSlot {
    llvm::AllocaInst *slot;
    llvm::SmallBitVector points; // where it is taken
  };
  std::vector<SharedSlot> sharedSlots;
  llvm::DenseMap<const llvm::Value *, llvm::AllocaInst *> webSlots;        // of the members of webs
  llvm::DenseMap<const llvm::BasicBlock *, llvm::Instruction *> webStores; // the first of those at the end of a block
  llvm::SmallSetVector<llvm::PHINode *, 8> inMemory;                       // members that are in their slot alone
  llvm::AllocaInst *image = nullptr;
  uint64_t imageSize = 0;
  uint64_t homesStart = 0;
  llvm::GlobalVariable *info = nullptr;        // of the frame, homes included
  llvm::GlobalVariable *infoWithout = nullptr; // of one that is saved before the frame is taken
};

// What the files share (split_locals.cpp).
void copySwiftErrors(llvm::Function &);
void dropLifetimes(llvm::AllocaInst *);
void replaceLocal(llvm::AllocaInst *, llvm::function_ref<llvm::Value *(llvm::IRBuilder<> &)> make);

} // namespace charcoal

#endif
