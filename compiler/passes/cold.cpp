// A pass of the code generator: puts the cold part of each interruptible version into a section of its own.
//
//   takes   machine code of x86-64 in its last order, before jumps get their lengths
//   leaves  each function that `split` has marked in two parts: f.int, and f.int.cold with the blocks that are hardly
//           ever reached, in `.text.unlikely.f.int`
//
//     f.int:  cmpl $0, attention           f.int:  cmpl $0, attention
//             jne cold                             jne f.int.cold
//             call g.int                           call g.int
//             test %ecx, %ecx                      test %ecx, %ecx
//             jne suspending             =>        jne f.int.cold+...
//             ...                                  ...
//             ret                                  ret
//     cold:   ...                                  .section .text.unlikely.f.int
//     suspending: ...                      f.int.cold: ...
//
// LLVM has such a pass for programs with a profile. Here no profile is needed: the paths to suspension and back, and
// those on which a shortcut misses, are marked as unlikely, and so are those that the program itself marks.
#include "cold.h"
#include "llvm/CodeGen/BasicBlockSectionUtils.h"
#include "llvm/CodeGen/MachineBlockFrequencyInfo.h"
#include "llvm/CodeGen/MachineBranchProbabilityInfo.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Target/RegisterTargetPassConfigCallback.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace charcoal {

namespace {

class ColdParts : public MachineFunctionPass {
public:
  static char ID;
  ColdParts() : MachineFunctionPass(ID) {}
  StringRef getPassName() const override { return "charcoal: cold parts of interruptible versions"; }
  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.addRequired<MachineBlockFrequencyInfoWrapperPass>();
    usage.addRequired<MachineBranchProbabilityInfoWrapperPass>();
    MachineFunctionPass::getAnalysisUsage(usage);
  }
  bool runOnMachineFunction(MachineFunction &) override;
};

char ColdParts::ID;

} // namespace

// A block whose address is taken is not moved, because the difference of two labels must stay a number.
static bool mayMove(const MachineBasicBlock &MBB) {
  return !MBB.isEntryBlock() && !MBB.isEHPad() && !MBB.hasAddressTaken() && !MBB.isInlineAsmBrIndirectTarget() &&
         MBB.getParent()->getSubtarget().getInstrInfo()->isMBBSafeToSplitToCold(MBB);
}

// A block is moved if at most one in so many calls reaches it.
static constexpr uint64_t Seldom = 1 << 14;

// The blocks that can be reached without an edge that is marked as unlikely. Frequencies alone would not tell, because
// they grow with the depth of loops.
static SmallPtrSet<const MachineBasicBlock *, 32> reachedByLikelyWays(const MachineFunction &MF,
                                                                      const MachineBranchProbabilityInfo &odds) {
  SmallPtrSet<const MachineBasicBlock *, 32> reached;
  SmallVector<const MachineBasicBlock *> work;
  auto reach = [&](const MachineBasicBlock *MBB) {
    if (reached.insert(MBB).second)
      work.push_back(MBB);
  };
  reach(&MF.front());
  while (!work.empty()) {
    const MachineBasicBlock *from = work.pop_back_val();
    for (auto next = from->succ_begin(); next != from->succ_end(); ++next)
      if (odds.getEdgeProbability(from, next) > BranchProbability(1, Seldom))
        reach(*next);
  }
  return reached;
}

bool ColdParts::runOnMachineFunction(MachineFunction &MF) {
  const Function &F = MF.getFunction();
  if (!F.hasFnAttribute(ColdPartAttr) || F.getSubprogram() || F.hasSection() || MF.hasBBSections())
    return false;
  const auto likely = reachedByLikelyWays(MF, getAnalysis<MachineBranchProbabilityInfoWrapperPass>().getMBPI());
  auto &frequencies = getAnalysis<MachineBlockFrequencyInfoWrapperPass>().getMBFI();
  const uint64_t limit = frequencies.getEntryFreq().getFrequency() / Seldom;
  auto isCold = [&](const MachineBasicBlock &MBB) {
    return mayMove(MBB) && (!likely.contains(&MBB) || frequencies.getBlockFreq(&MBB).getFrequency() < limit);
  };
  if (none_of(MF, isCold))
    return false;
  MF.RenumberBlocks();
  for (MachineBasicBlock &MBB : MF)
    if (isCold(MBB))
      MBB.setSectionID(MBBSectionID::ColdSectionID);
  MF.setBBSectionsType(BasicBlockSection::Preset);
  sortBasicBlocksAndUpdateBranches(MF, [](const MachineBasicBlock &a, const MachineBasicBlock &b) {
    return a.getSectionID().Type < b.getSectionID().Type;
  });
  return true;
}

// With -fsplit-machine-functions, or the option of that name for LLVM, LLVM's own pass divides by a profile. Of a
// function that has been divided already it would make a beginning of the cold part once more.
static bool dividesByProfile(const TargetMachine &TM) {
  const auto &options = cl::getRegisteredOptions();
  auto option = options.find("enable-split-machine-functions");
  return TM.Options.EnableMachineFunctionSplitter ||
         (option != options.end() && option->second->getNumOccurrences() > 0);
}

// Linkers gather `.text.unlikely.*` at one end of the program. GNU's linker does not know LLVM's own `.text.split.*`.
static RegisterTargetPassConfigCallback addColdParts([](TargetMachine &TM, PassManagerBase &,
                                                        TargetPassConfig *config) {
  const Triple &target = TM.getTargetTriple();
  if (TM.getOptLevel() == CodeGenOptLevel::None || target.getArch() != Triple::x86_64 || !target.isOSBinFormatELF() ||
      dividesByProfile(TM))
    return;
  if (BBSectionsColdTextPrefix.getNumOccurrences() == 0)
    BBSectionsColdTextPrefix = ".text.unlikely.";
  config->insertPass(&LiveDebugValuesID, new ColdParts());
});

} // namespace charcoal
