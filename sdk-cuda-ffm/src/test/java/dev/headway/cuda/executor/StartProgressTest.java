package dev.headway.cuda.executor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StartProgressTest {
  private long nowMs = 5;
  private final List<String> told = new ArrayList<>();
  private final StartProgress progress = new StartProgress(() -> nowMs * 1_000_000, told::add);

  @Test
  void shouldSayNothingOfAShortStart() {
    nowMs += 999;
    progress.passed("loaded the weights");
    progress.ready("off");

    assertThat(told).isEmpty();
  }

  @Test
  void shouldSayOnceASecondHowFarALongStartIs() {
    nowMs += 1_000;
    progress.passed("loaded the weights");
    nowMs += 999;
    progress.passed("recorded 1 of 3 batch sizes");
    nowMs += 1;
    progress.passed("recorded 2 of 3 batch sizes");
    nowMs += 10;
    progress.ready("3 of 3 batch sizes up to 4 recorded");

    assertThat(told)
        .containsExactly(
            "starting: loaded the weights, 1000 ms so far",
            "starting: recorded 2 of 3 batch sizes, 2000 ms so far",
            "started in 2010 ms; decode steps: 3 of 3 batch sizes up to 4 recorded");
  }
}
