package dev.headway.scheduler.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.executor.Executor;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.request.RequestView;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.testkit.executor.ExecutorContract;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The contract notices each fault. */
class ExecutorContractFaultsTest {

  private static Fault planted;
  private static ToyModelExecutor.Fault inModel;

  /** What is wrong, and the check that must notice it. */
  enum Fault {
    NONE(""),
    CHANGES_ITS_SHAPE("shouldHaveOneShape"),
    ANSWERS_CHUNKS("shouldAnswerOneTokenForEachEntryThatSamples"),
    FORGETS_THE_LAST_ENTRY("shouldAnswerOneTokenForEachEntryThatSamples"),
    ANSWERS_FOREIGN_TOKENS("shouldContinueAPromptAndDecode"),
    REFUSES_RESUMED_REQUESTS("shouldRunAPreemptedRequestAgain"),
    REFUSES_EMPTY_PLANS("shouldAnswerAPlanThatOnlyTellsOfEnds"),
    REMEMBERS_IDS("shouldTakeTheIdOfAnEndedRequestForANewOne"),
    ANSWERS_THE_LATEST_FIRST("shouldAnswerStepsInTheirOrder"),
    ANSWERS_TWICE("shouldAnswerAStepOnceThatWasNotReadyInTime"),
    LOSES_AN_INTERRUPTED_STEP("shouldAnswerAStepWhoseWaitWasInterrupted"),
    READS_LIVE_REQUESTS("shouldUseThePlansOwnNumbers"),
    CANNOT_CLOSE_WITH_A_STEP_OUT("shouldCloseWithAStepOut"),
    TAKES_STEPS_WHEN_CLOSED("shouldRefuseAStepWhenItIsClosed");

    final String check;

    Fault(String check) {
      this.check = check;
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldNotice(Fault fault) {
    planted = fault;

    if (fault == Fault.NONE) {
      assertThat(ContractRun.failuresOf(Faulty.class)).isEmpty();
    } else {
      assertThat(ContractRun.failuresOf(Faulty.class)).contains(fault.check);
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldNoticeInAModel(ToyModelExecutor.Fault fault) {
    inModel = fault;

    if (fault == ToyModelExecutor.Fault.NONE) {
      assertThat(ContractRun.failuresOf(ToyModel.class)).isEmpty();
    } else {
      assertThat(ContractRun.failuresOf(ToyModel.class)).contains(fault.check);
    }
  }

  static final class ToyModel extends ExecutorContract {
    @Override
    protected Executor create() {
      return new ToyModelExecutor(inModel, false);
    }

    @Override
    protected Executor createLate() {
      return new ToyModelExecutor(inModel, true);
    }

    @Override
    protected boolean computesTokens() {
      return true;
    }
  }

  static final class Faulty extends ExecutorContract {
    @Override
    protected Executor create() {
      return new FaultyExecutor(planted);
    }
  }

  /** Answers 1 at the second look, with one fault. */
  private static final class FaultyExecutor implements Executor {

    private final Fault fault;
    private final Deque<StepPlan> out = new ArrayDeque<>();
    private final Set<String> ids = new HashSet<>();
    private int shapes;
    private boolean looked;
    private boolean closed;

    FaultyExecutor(Fault fault) {
      this.fault = fault;
    }

    @Override
    public ExecutorShape shape() {
      final int seats = fault == Fault.CHANGES_ITS_SHAPE ? 8 + shapes++ : 8;
      return ExecutorShape.builder()
          .kvCache(KvCacheShape.builder().blockSize(4).blocks(33).build())
          .maxNumSeqs(seats)
          .vocabularySize(100)
          .maxStepsInFlight(2)
          .build();
    }

    @Override
    public void submit(StepPlan plan) {
      if (closed && fault != Fault.TAKES_STEPS_WHEN_CLOSED) {
        throw new IllegalStateException("closed");
      }
      if (plan.size() == 0 && fault == Fault.REFUSES_EMPTY_PLANS) {
        throw new IllegalStateException("an empty plan");
      }
      for (int entry = 0; entry < plan.size(); entry++) {
        final boolean first = plan.kind(entry) == EntryKind.NEW;
        if (first && !ids.add(plan.request(entry).id()) && fault == Fault.REMEMBERS_IDS) {
          throw new IllegalStateException("known");
        }
        if (plan.kind(entry) == EntryKind.RESUMED && fault == Fault.REFUSES_RESUMED_REQUESTS) {
          throw new IllegalStateException("resumed");
        }
      }
      out.addLast(plan);
    }

    @Override
    public boolean await(StepOutput output, long timeoutNs) throws InterruptedException {
      if (Thread.interrupted()) {
        if (fault == Fault.LOSES_AN_INTERRUPTED_STEP) {
          out.clear();
        }
        throw new InterruptedException();
      }
      if (timeoutNs == 1 && !looked) {
        looked = true;
        if (fault == Fault.ANSWERS_TWICE) {
          output.addToken(0, 1);
        }
        return false;
      }
      final StepPlan plan =
          fault == Fault.ANSWERS_THE_LATEST_FIRST ? out.removeLast() : out.removeFirst();
      final int answered = fault == Fault.FORGETS_THE_LAST_ENTRY ? plan.size() - 1 : plan.size();
      for (int entry = 0; entry < answered; entry++) {
        final boolean samples =
            fault == Fault.READS_LIVE_REQUESTS
                ? ((RequestView) plan.request(entry)).computedTokens() + plan.scheduledTokens(entry)
                    == plan.request(entry).knownTokens()
                : plan.samples(entry);
        if (samples || fault == Fault.ANSWERS_CHUNKS) {
          output.addToken(entry, fault == Fault.ANSWERS_FOREIGN_TOKENS ? 100 : 1);
        }
      }
      return true;
    }

    @Override
    public void close() {
      closed = true;
      if (fault == Fault.CANNOT_CLOSE_WITH_A_STEP_OUT && !out.isEmpty()) {
        throw new IllegalStateException("a step is out");
      }
    }
  }
}
