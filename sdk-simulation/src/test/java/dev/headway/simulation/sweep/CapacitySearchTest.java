package dev.headway.simulation.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CapacitySearchTest {

  private static List<Double> search(CapacitySearch search, double capacity) {
    return search(search.begin(), capacity);
  }

  private static List<Double> search(CapacitySearch.Bracket bracket, double capacity) {
    final List<Double> tried = new ArrayList<>();
    for (double value = bracket.next(); !Double.isNaN(value); value = bracket.next()) {
      tried.add(value);
      bracket.tried(value, value <= capacity);
    }
    return tried;
  }

  @ParameterizedTest
  @ValueSource(doubles = {1, 1.3, 2, 7.77, 31, 63.9})
  void shouldBracketTheCapacity(double capacity) {
    final List<Double> tried = search(new CapacitySearch("load.rate", 1, 64, 0.05), capacity);

    final double met = tried.stream().filter(v -> v <= capacity).max(Double::compare).orElseThrow();
    final double missed =
        tried.stream().filter(v -> v > capacity).min(Double::compare).orElseThrow();
    assertThat(missed / met).as("tried %s", tried).isLessThanOrEqualTo(1.05);
    assertThat(tried).doesNotHaveDuplicates().hasSizeLessThanOrEqualTo(2 + 7);
  }

  @ParameterizedTest
  @ValueSource(doubles = {1, 1.3, 2, 7.77, 8, 8.1, 31, 63.9})
  void shouldBracketTheCapacityFromAGuess(double capacity) {
    final CapacitySearch search = new CapacitySearch("load.rate", 1, 64, 0.05);

    final List<Double> tried = search(search.beginNear(8), capacity);

    assertThat(tried).doesNotHaveDuplicates().startsWith(8.0).hasSizeLessThanOrEqualTo(11);
    final double met = tried.stream().filter(v -> v <= capacity).max(Double::compare).orElseThrow();
    final double missed =
        tried.stream().filter(v -> v > capacity).min(Double::compare).orElseThrow();
    assertThat(missed / met).as("tried %s", tried).isLessThanOrEqualTo(1.05);
  }

  @Test
  void shouldTakeFewerRunsFromAGoodGuess() {
    final CapacitySearch search = new CapacitySearch("load.rate", 1, 64, 0.05);

    assertThat(search(search.beginNear(30), 31)).hasSizeLessThanOrEqualTo(4);
    assertThat(search(search, 31)).hasSizeGreaterThan(7);
  }

  @Test
  void shouldStopAtTheEndsFromAGuess() {
    final CapacitySearch search = new CapacitySearch("load.rate", 1, 64, 0.05);

    assertThat(search(search.beginNear(40), 100)).startsWith(40.0).endsWith(64.0);
    assertThat(search(search.beginNear(2), 0.5)).startsWith(2.0).endsWith(1.0);
    assertThat(search(search.beginNear(500), 100)).containsExactly(64.0);
  }

  /** As if it had been tried first. */
  @Test
  void shouldTakeWhatIsKnownBefore() {
    final CapacitySearch.Bracket bracket =
        new CapacitySearch("load.rate", 1, 64, 0.05).beginNear(8);
    bracket.tried(20, true);

    assertThat(bracket.next()).isEqualTo(24);
  }

  @Test
  void shouldStopWhereThereIsNoBracket() {
    final CapacitySearch search = new CapacitySearch("load.rate", 1, 64, 0.05);

    assertThat(search(search, 0.5)).containsExactly(1.0);
    assertThat(search(search, 100)).containsExactly(1.0, 64.0);
  }

  @Test
  void shouldRefuseWhatCannotBeSearched() {
    assertThatThrownBy(() -> new CapacitySearch("load.rate", 0, 64, 0.05))
        .hasMessage("a capacity search must have finite 0 < min < max: min=0, max=64");
    assertThatThrownBy(() -> new CapacitySearch("load.rate", 1, 64, 0))
        .hasMessage("tolerance must be in [0.0001, 1): tolerance=0");
  }
}
