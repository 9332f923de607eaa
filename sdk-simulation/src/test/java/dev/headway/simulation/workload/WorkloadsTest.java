package dev.headway.simulation.workload;

import static dev.headway.simulation.workload.TraceFixture.all;
import static dev.headway.simulation.workload.TraceFixture.request;
import static dev.headway.simulation.workload.TraceFixture.trace;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class WorkloadsTest {
  @Test
  void shouldDivideArrivalsByTheRateScale() {
    final Workload given = Workloads.scaleRate(twoRows(), 0.5);

    assertThat(all(given)).extracting(WorkloadRequest::arrivalNs).containsExactly(6L, 200L);
  }

  @Test
  void shouldRoundScaledArrivalsToTheNearestNanosecond() {
    final Workload given = Workloads.scaleRate(twoRows(), 7);

    assertThat(all(given)).extracting(WorkloadRequest::arrivalNs).containsExactly(0L, 14L);
  }

  @Test
  void shouldNotTurnArrivalsThatAreTooFarAwayIntoOthers() {
    final Workload given = Workloads.scaleRate(twoRows(), 1e-18);

    assertThat(given.next()).isEqualTo(request("a", 3_000_000_000_000_000_000L, 7, 5));
    assertThatThrownBy(given::next)
        .isInstanceOf(ArithmeticException.class)
        .hasMessage("scaled arrival must fit 64 bits: arrivalNs=100, factor=1.0E-18");
  }

  @Test
  void shouldEndAfterTheLimit() {
    final Workload given = Workloads.limit(SyntheticWorkload.builder().requests(9).build(), 4);

    assertThat(given.sizeHint()).isEqualTo(OptionalLong.of(4));
    assertThat(all(given)).hasSize(4);
    assertThat(all(Workloads.limit(twoRows(), 4))).hasSize(2);
    assertThat(all(Workloads.limit(twoRows(), 0))).isEmpty();
  }

  @Test
  void shouldCutLengthsAndCountEachCut() {
    final Workload given = Workloads.cap(twoRows(), 8, 4);

    assertThat(all(given)).containsExactly(request("a", 3, 7, 4), request("b", 100, 8, 1));
    assertThat(given.adjustments()).isEqualTo(new Adjustments(2, Map.of(), null, Map.of(), 1, 1));
    assertThat(given.adjustedRows()).isEqualTo(2);
  }

  @Test
  void shouldSayWhatMustHold() {
    assertThatThrownBy(() -> Workloads.scaleRate(twoRows(), Double.NaN))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("rate scale must be finite and > 0: factor=NaN");
    assertThatThrownBy(() -> Workloads.limit(twoRows(), -1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("limit must be >= 0: maxRequests=-1");
    assertThatThrownBy(() -> Workloads.cap(twoRows(), 0, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("caps must be >= 1: maxInputTokens=0, maxOutputTokens=1");
  }

  private static Workload twoRows() {
    return trace(
        TraceFormat.HEADWAY,
        "request_id,arrival_ns,input_tokens,output_tokens",
        "a,3,7,5",
        "b,100,9,1");
  }
}
