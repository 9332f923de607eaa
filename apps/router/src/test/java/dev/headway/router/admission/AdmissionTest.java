package dev.headway.router.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.router.admission.Admission.Answer;
import dev.headway.router.admission.Admission.Ticket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AdmissionTest {

  private long nowNs;
  private final List<String> admitted = new ArrayList<>();

  @Test
  void shouldAdmitTheLongestWaitingWhenOneLeaves() {
    final Admission door = door(1, 2, 0);
    final Ticket first = door.enter(() -> {});
    final Ticket second = door.enter(() -> admitted.add("second"));
    final Ticket third = door.enter(() -> admitted.add("third"));
    assertThat(List.of(first.answer(), second.answer(), third.answer()))
        .containsExactly(Answer.ADMITTED, Answer.WAITING, Answer.WAITING);
    assertThat(door.enter(() -> {}).answer()).isEqualTo(Answer.ROOM_FULL);

    first.leave();
    first.leave();

    assertThat(admitted).containsExactly("second");
    third.leave();
    second.leave();
    assertThat(admitted).containsExactly("second");
    assertThat(door.inside()).isZero();
    assertThat(door.waiting()).isZero();
  }

  @Test
  void shouldLetABurstThroughAndThenSoManyPerSecond() {
    final Admission door = door(0, 0, 2);

    assertThat(door.enter(() -> {}).answer()).isEqualTo(Answer.ADMITTED);
    assertThat(door.enter(() -> {}).answer()).isEqualTo(Answer.ADMITTED);
    final Ticket refused = door.enter(() -> {});
    assertThat(refused.answer()).isEqualTo(Answer.RATE);
    refused.leave();
    assertThat(door.inside()).isEqualTo(2);

    nowNs += 500_000_000;
    assertThat(door.enter(() -> {}).answer()).isEqualTo(Answer.ADMITTED);
    assertThat(door.enter(() -> {}).answer()).isEqualTo(Answer.RATE);
  }

  private Admission door(int concurrent, int room, double rate) {
    return new Admission(
        new AdmissionOptions(concurrent, room, Duration.ofSeconds(1), rate, 2), () -> nowNs);
  }
}
