package dev.headway.scheduler.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.probe.AdmittedEvent;
import dev.headway.api.probe.BlockedEvent;
import dev.headway.api.probe.FinishedEvent;
import dev.headway.api.probe.PlannedEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeInterest;
import dev.headway.api.probe.QueuedEvent;
import dev.headway.api.probe.RunInfo;
import dev.headway.api.probe.StepCompletedEvent;
import dev.headway.api.request.RequestView;
import dev.headway.api.step.PlannedBlocks;
import dev.headway.testkit.probe.ProbeContract;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The contract notices each fault. */
class ProbeContractFaultsTest {

  private static Fault planted;

  /** What is wrong, and the check that must notice it. */
  enum Fault {
    NONE(""),
    THROWS_AT_AN_EVENT("shouldTakeEveryEvent"),
    NEEDS_A_CAUSE("shouldTakeEveryEventItAskedFor"),
    NEEDS_WHAT_IT_DID_NOT_ASK_FOR("shouldTakeEveryEventItAskedFor"),
    KEEPS_AN_EVENT("shouldUseNoViewAfterTheCallItWasLentFor"),
    USES_AN_EVENT_IN_THE_NEXT("shouldUseNoViewAfterTheCallItWasLentFor"),
    KEEPS_A_REQUEST("shouldUseNoViewAfterTheCallItWasLentFor"),
    KEEPS_BLOCKS_OF_A_PLAN("shouldUseNoViewAfterTheCallItWasLentFor"),
    CHANGES_ITS_MIND("shouldAskForTheSameEventsEachTime"),
    NEEDS_A_RUN_TO_CLOSE("shouldCloseWithoutARun"),
    NEEDS_EVENTS_TO_CLOSE("shouldCloseAfterARunWithoutEvents");

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

  static final class Faulty extends ProbeContract {
    @Override
    protected Probe create() {
      return new FaultyProbe(planted);
    }
  }

  private static final class FaultyProbe implements Probe {

    private final Fault fault;
    private int asked;
    private boolean started;
    private BlockedEvent blocked;
    private RequestView queued;
    private PlannedBlocks blocks;
    private boolean admitted;

    FaultyProbe(Fault fault) {
      this.fault = fault;
    }

    private void require(boolean sound, Fault where) {
      if (fault == where && !sound) {
        throw new IllegalStateException(where.name());
      }
    }

    @Override
    public Set<ProbeInterest> interests() {
      if (fault == Fault.NEEDS_WHAT_IT_DID_NOT_ASK_FOR) {
        return EnumSet.of(ProbeInterest.STEPS);
      }
      return fault == Fault.CHANGES_ITS_MIND && asked++ > 0
          ? EnumSet.noneOf(ProbeInterest.class)
          : EnumSet.allOf(ProbeInterest.class);
    }

    @Override
    public void onRunStarted(RunInfo run) {
      started = true;
    }

    @Override
    public void onQueued(QueuedEvent event) {
      queued = event.request();
    }

    @Override
    public void onAdmitted(AdmittedEvent event) {
      require(false, Fault.THROWS_AT_AN_EVENT);
      admitted = true;
    }

    @Override
    public void onBlocked(BlockedEvent event) {
      blocked = event;
    }

    @Override
    public void onPlanned(PlannedEvent event) {
      blocks = event.plan().blocks();
    }

    @Override
    public void onFinished(FinishedEvent event) {
      require(event.cause() != null, Fault.NEEDS_A_CAUSE);
      if (fault == Fault.USES_AN_EVENT_IN_THE_NEXT && blocked != null) {
        blocked.reason();
      }
    }

    @Override
    public void onStepCompleted(StepCompletedEvent event) {
      require(admitted, Fault.NEEDS_WHAT_IT_DID_NOT_ASK_FOR);
    }

    @Override
    public void close() {
      require(started, Fault.NEEDS_A_RUN_TO_CLOSE);
      require(!started || admitted, Fault.NEEDS_EVENTS_TO_CLOSE);
      try {
        if (fault == Fault.KEEPS_AN_EVENT && blocked != null) {
          blocked.reason();
        }
        if (fault == Fault.KEEPS_A_REQUEST && queued != null) {
          queued.knownTokens();
        }
        if (fault == Fault.KEEPS_BLOCKS_OF_A_PLAN && blocks != null) {
          blocks.groupCount();
        }
      } catch (IllegalStateException e) {
        // hides that the view is gone
      }
    }
  }
}
