package dev.headway.faultsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class StepWatchTest {

  private final AtomicLong steps = new AtomicLong();
  private final StepWatch watch = new StepWatch(60);
  private final StepWatch.Worker worker = watch.watch(Thread.currentThread(), steps::get);

  @Test
  void shouldFindASeedThatMakesNoStep() {
    worker.begin(7);
    watch.findStalled(0);

    final StepWatch.Worker before = watch.findStalled(59);
    final StepWatch.Worker then = watch.findStalled(60);

    assertThat(before).isNull();
    assertThat(then).isSameAs(worker);
    assertThat(worker.seed()).isEqualTo(7);
  }

  @Test
  void shouldWaitAnewBehindEachStep() {
    worker.begin(7);
    watch.findStalled(0);

    steps.incrementAndGet();
    watch.findStalled(59);

    assertThat(watch.findStalled(118)).isNull();
    assertThat(watch.findStalled(119)).isSameAs(worker);
  }

  @Test
  void shouldLeaveAWorkerInPeaceThatRests() {
    worker.begin(7);
    watch.findStalled(0);
    worker.end();

    assertThat(watch.findStalled(1_000)).isNull();
  }
}
