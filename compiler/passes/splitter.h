// How `split` goes about one function. Each part has a file: locals whose address is known elsewhere
// (split_locals.cpp), the points and their edges (split_points.cpp), values that live across a point
// (split_values.cpp), and the ways in and out (split_entry.cpp). Activations that run in their frame differ in some of
// these (split_kept.cpp). split.cpp puts them in order. Functions that call setjmp go another way (split_anchor.cpp).
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
#include "llvm/IR/ValueHandle.h"
#include <optional>

namespace charcoal {

// Splits one function, which already has its new type.
class Splitter {
public:
  Splitter(Abi &abi, Glue &glue, llvm::Function &F, const Signature &signature, llvm::StringRef name)
      : abi(abi), glue(glue), F(F), M(abi.M), DL(M.getDataLayout()), signature(signature), result(signature.result),
        name(name) {}
  // The function under the public name.
  llvm::Function *run();

private:
  // split.cpp
  void takeEntryYield();
  void rewriteTailCalls();
  void collectPoints();
  llvm::CallInst *newCall(llvm::CallInst *);
  llvm::Instruction *afterAllocas(llvm::BasicBlock &) const;

  // split_points.cpp
  void makePoints();
  void makeAsyncPoint(llvm::CallInst *, llvm::Value *status, llvm::Value *scope, llvm::BasicBlock *after);
  void repeatAddresses(const CrossingValues &);
  void repeatAddress(llvm::GetElementPtrInst *);
  void repeatQuestions();
  void repeatCheap();
  llvm::MDNode *weightsOfPoints() const;
  void connect();
  bool isWord(llvm::Type *) const;
  llvm::Value *reloadResult(llvm::IRBuilder<> &, llvm::Type *, llvm::Value *word);
  void passResultsThroughMemory();

  // split_exceptions.cpp
  void lowerExceptions();
  void passExceptionsOn(llvm::CallInst *);
  void setPersonality();
  void returnThrown(llvm::IRBuilder<> &);
  llvm::BasicBlock *leaving();
  void markThrown(llvm::CallInst *, llvm::BasicBlock *otherwise);
  void lowerSuspending(llvm::InvokeInst *);
  void lowerSuspending(llvm::CallInst *);
  void lowerPlain(llvm::CallInst *);
  void lowerResume(llvm::ResumeInst *);
  bool throwsAt(const Point &) const;
  void connectThrown(Point &, llvm::Value *status, llvm::BasicBlock *restored);

  // split_anchor.cpp
  void dropInlinedAnchors();
  llvm::Function *anchor();
  void waitForCall(llvm::CallInst *, llvm::Value *anchor);
  llvm::Function *addWayIn();

  // split_locals.cpp
  void copyByvalArguments();
  void lowerDynamicLocals();
  llvm::Instruction *endOfActivation(llvm::BasicBlock &) const;
  bool localsShare() const;
  void placeLocals();
  void layOutHomes(llvm::ArrayRef<llvm::AllocaInst *> homes);
  void takeFrame(llvm::Instruction *before, bool again);
  llvm::SmallVector<llvm::Instruction *> endsOfActivation() const;
  void giveFrame(llvm::Instruction *before, llvm::Value *taken);
  bool mayKeepFrame() const;
  void keepFrame();
  void giveFrames(const Taking &);
  void giveFramesEarly(const Tenure &);
  void takeFrames(llvm::ArrayRef<llvm::AllocaInst *> homes);
  void moveHomes(const Locals &);
  bool isFrame(const llvm::Value *V) const { return is_contained(frames, V); }

  // split_kept.cpp
  llvm::Instruction *inKeptFrame(llvm::IRBuilder<> &, uint64_t offset) const;
  llvm::Value *restoreKept(llvm::IRBuilder<> &dispatch);
  void noteKept(llvm::IRBuilder<> &, llvm::Value *number);
  void linkKept(llvm::IRBuilder<> &);
  void provideKeptFrame();
  uint64_t endOfArguments() const;
  void divideKept();
  void beginInFrame();

  // split_values.cpp
  using ValueSet = llvm::DenseSet<const llvm::Value *>;
  using Blocks = llvm::SmallPtrSet<const llvm::BasicBlock *, 16>;
  struct Uses {
    llvm::SmallVector<llvm::Use *> reloaded, behindYields, direct;
    llvm::SmallVector<unsigned> yields; // after which the value is still in its register
  };
  llvm::AllocaInst *newSlot(llvm::Type *, const llvm::Twine &name);
  void keepInRegister(const CrossingValues &, const CrossingValues::Value &);
  void keepInRegisterThroughout(const CrossingValues &, const CrossingValues::Value &);
  void chooseThroughout(const CrossingValues &, const llvm::BlockFrequencyInfo &, ValueSet &inRegister);
  llvm::SmallVector<unsigned> yieldsInRegister(const CrossingValues::Value &) const;
  Blocks reachedFromOthers(const CrossingValues &, const CrossingValues::Value &,
                           llvm::ArrayRef<unsigned> yields) const;
  llvm::Instruction *placeOfUse(const llvm::Use &) const;
  Uses usesOf(const CrossingValues &, const CrossingValues::Value &) const;
  void loadForUses(llvm::ArrayRef<llvm::Use *>, llvm::AllocaInst *slot, const llvm::Twine &name);
  void keepInImage(const CrossingValues &, const CrossingValues::Value &);
  void makeWebs(const Webs &);
  bool isResult(const llvm::PHINode &phi) const { return resultPhis.contains(&phi); }
  bool belongsInMemory(const CrossingValues &, const CrossingValues::Value &, const llvm::BlockFrequencyInfo &) const;
  void eraseInMemory();
  ValueSet valuesInRegister(const CrossingValues &, const llvm::BlockFrequencyInfo &);
  void choosePhisInMemory(const Webs &, const CrossingValues &, const llvm::BlockFrequencyInfo &);
  ValueSet chooseSlots(std::optional<CrossingValues> &);
  void keep();
  void layOutImage();

  // split_entry.cpp
  unsigned promises() const; // CH_FRAME_NEVER_WAITS, or 0
  void makeInfos();
  llvm::DebugLoc atEntry() const;
  llvm::DebugLoc placeOfCheck() const;
  llvm::SmallVector<llvm::Value *> argumentsKeptByVariables(llvm::BasicBlock *entry, llvm::BasicBlock *yield);
  void addEntry();
  llvm::PHINode *notePoints(llvm::BasicBlock *end);
  llvm::PHINode *countPoints(llvm::BasicBlock *end, unsigned from, unsigned to);
  llvm::Value *countPointsInSections(llvm::BasicBlock *end, unsigned section);
  llvm::Value *storePoints(llvm::BasicBlock *end);
  llvm::AllocaInst *addLocalForPoint();
  llvm::Value *loadPoint(llvm::BasicBlock *end, llvm::AllocaInst *place);
  llvm::BasicBlock &addSuspendTail();
  void rewriteReturns();

  Abi &abi;
  Glue &glue;
  llvm::Function &F;
  llvm::Module &M;
  const llvm::DataLayout &DL;
  const Signature &signature;
  llvm::Type *result; // T
  llvm::StringRef name;

  // Each member below is set by the step that is named before it, and holds from then on.

  // run
  llvm::BasicBlock *body = nullptr; // where the activation begins

  // takeEntryYield, rewriteTailCalls, collectPoints
  bool yieldsAtEntry = false;
  llvm::SmallPtrSet<const llvm::Instruction *, 4> tailCalls;
  llvm::SmallVector<llvm::CallInst *> calls; // calls that makePoints turns into points, and erases
  unsigned asyncs = 0;                       // the number of `async` statements; these come first

  // lowerExceptions
  bool passesExceptions = false;
  llvm::BasicBlock *leave = nullptr;                       // returns CH_THROWN
  llvm::BasicBlock *passes = nullptr;                      // the landing pad of plain calls that have none
  llvm::SmallPtrSet<const llvm::ReturnInst *, 8> throwing; // returns whose status is CH_THROWN

  // makePoints
  llvm::SmallVector<Point> points;
  llvm::SmallVector<llvm::Value *> statuses;               // of points[k], at the end of its block
  llvm::SmallVector<llvm::PHINode *> results;              // of points[k]: value of the call, or null
  llvm::SmallPtrSet<const llvm::PHINode *, 16> resultPhis; // the same

  // lowerDynamicLocals
  llvm::AllocaInst *dynamicLocals = nullptr; // the head of their list; in the image, it is the last word

  // placeLocals. The slots of the image are allocas until layOutImage; later steps add theirs.
  llvm::SmallVector<llvm::AllocaInst *> slots;
  llvm::SmallPtrSet<const llvm::AllocaInst *, 8> aloneInImage; // the slots that share their places with no other
  std::optional<Guards> guards;                                // between the homes, under AddressSanitizer
  uint64_t homesEnd = 0;                                       // offset in the frame's home part
  llvm::Align homesAlign{8};
  llvm::SmallVector<std::pair<llvm::AllocaInst *, uint64_t>> homeOffsets;
  llvm::AllocaInst *frameSlot = nullptr;            // holds the frame, if there are homes; in the image
  llvm::SmallVector<llvm::Instruction *, 2> frames; // the frame's address, after each place of `Taking`
  llvm::SmallVector<llvm::CallInst *, 2> takings;   // there
  bool takesFrameLate = false;                      // there may be a frame or none
  llvm::GlobalVariable *keptFrame = nullptr;        // if the activation runs in its frame: stands for its address
                                                    // until provideKeptFrame
  llvm::Function *framed = nullptr;                 // if so: will have the code, and gets the frame
  std::optional<llvm::SmallBitVector> withFrame;    // the points at which there is one; without this, the slot holds
                                                    // null until the frame is taken

  // keep
  llvm::SmallVector<uint64_t> frequencies; // of points[k]; none where code is to be small
  struct SharedSlot {
    llvm::AllocaInst *slot;
    llvm::SmallBitVector points; // the points at which the slot is in use
  };
  std::vector<SharedSlot> sharedSlots;
  ValueSet throughout; // values that stay in a register across every point
  struct SavedThroughout {
    llvm::WeakTrackingVH slot; // after layOutImage: its place in the image
    llvm::Type *type;
    llvm::SmallVector<llvm::Value *> atPoints; // at points[k]; null where the value is not alive
  };
  std::vector<SavedThroughout> savedThroughout;                            // saved by the tail that all points share
  llvm::DenseMap<const llvm::Value *, llvm::AllocaInst *> webSlots;        // of the members of webs
  llvm::DenseMap<const llvm::BasicBlock *, llvm::Instruction *> webStores; // the first such store at the end of each
                                                                           // block
  llvm::SmallSetVector<llvm::PHINode *, 8> inMemory;                       // members of webs that are in no register

  // connect, in the middle of keep
  llvm::Instruction *restore = nullptr;                   // the first of the dispatch
  llvm::Value *restoredWord = nullptr;                    // of the result of the call that has been waited for
  llvm::SmallVector<llvm::BasicBlock *> suspendingBlocks; // of points[k]: on the way to suspension
  llvm::SmallVector<llvm::BasicBlock *> restoredBlocks;   // of points[k]: on the way back
  llvm::Value *restoredThrown = nullptr;                  // whether the call that has been waited for has thrown
  llvm::AllocaInst *thrownPlace = nullptr;                // holds the same where many points want to know

  // layOutImage
  llvm::AllocaInst *image = nullptr;
  uint64_t imageSize = 0;
  bool keepsDynamicLocals = false;
  uint64_t homesStart = 0;           // where the home part begins in the frame
  llvm::Value *framePlace = nullptr; // the address of what was `frameSlot`

  // makeInfos
  llvm::GlobalVariable *info = nullptr;        // of the frame, homes included
  llvm::GlobalVariable *infoWithout = nullptr; // of one that is saved before the frame is taken
};

// What the files share (split_locals.cpp).
void copySwiftErrors(llvm::Function &);
void dropLifetimes(llvm::AllocaInst *);
void replaceLocal(llvm::Instruction *, llvm::function_ref<llvm::Value *(llvm::IRBuilder<> &)> make);

} // namespace charcoal

#endif
