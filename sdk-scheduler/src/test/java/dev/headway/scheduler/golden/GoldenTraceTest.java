package dev.headway.scheduler.golden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;
import org.opentest4j.TestAbortedException;

/**
 * Replays recorded runs of vLLM 0.28's scheduler: the set in the test resources always, and {@code
 * -Dheadway.golden=DIR} (or {@code ../shared/golden/vllm-v0.28} beside the checkout) when it is
 * there.
 */
class GoldenTraceTest {

  /** Families of the recorded set: what the traces exercise, feature by feature. */
  private static final int FAMILIES = 45;

  /** Families of the second recorded set, of what vLLM's scheduler does besides plain text. */
  private static final Set<String> EXTENSIONS =
      Set.of("connector_async", "connector_sync", "encoder", "grammar", "streaming_session");

  @TestFactory
  Stream<DynamicNode> shouldDecideAsRecordedInTheCommittedSet() throws Exception {
    final Path directory = Path.of(GoldenTraceTest.class.getResource("/golden").toURI());

    final List<DynamicNode> families = families(directory);

    assertThat(families).as("committed families").hasSize(FAMILIES);
    return families.stream();
  }

  @TestFactory
  Stream<DynamicNode> shouldDecideAsRecordedInTheWholeSet() throws Exception {
    final String given = System.getProperty("headway.golden", "");
    final Path directory =
        given.isEmpty() ? Path.of("../../shared/golden/vllm-v0.28") : Path.of(given);
    if (given.isEmpty() && !Files.isDirectory(directory)) {
      return Stream.of(
          dynamicTest(
              "no golden directory",
              () -> {
                throw new TestAbortedException(
                    "not tested with the other recorded runs of vLLM: give all by -Dheadway.golden=DIR");
              }));
    }

    final List<DynamicNode> families = families(directory);

    assertThat(families).as("golden traces in %s", directory.toAbsolutePath()).isNotEmpty();
    return families.stream();
  }

  @TestFactory
  Stream<DynamicNode> shouldDecideAsRecordedInTheExtensions() throws Exception {
    final Path directory = Path.of("../../shared/golden/vllm-v0.28-ext");
    if (!Files.isDirectory(directory)) {
      return Stream.of(
          dynamicTest(
              "no golden directory of the extensions",
              () -> {
                throw new TestAbortedException(
                    "not tested with the other recorded runs of vLLM's extensions: directory="
                        + directory);
              }));
    }

    final List<DynamicNode> families =
        families(directory).stream()
            .filter(family -> EXTENSIONS.contains(family.getDisplayName()))
            .toList();

    assertThat(families).as("families of extensions").hasSize(EXTENSIONS.size());
    return families.stream();
  }

  private static List<DynamicNode> families(Path directory) throws IOException {
    final Map<String, List<Path>> byFamily = new TreeMap<>();
    try (Stream<Path> files = Files.list(directory)) {
      files
          .filter(file -> file.toString().endsWith(".jsonl.gz"))
          .sorted()
          .forEach(
              file ->
                  byFamily
                      .computeIfAbsent(GoldenTrace.familyOf(file), key -> new ArrayList<>())
                      .add(file));
    }
    final List<DynamicNode> nodes = new ArrayList<>();
    byFamily.forEach((family, files) -> nodes.add(node(family, files)));
    return nodes;
  }

  private static DynamicNode node(String family, List<Path> files) {
    return dynamicContainer(
        family,
        files.stream()
            .map(
                file -> dynamicTest(GoldenTrace.nameOf(file), () -> shouldDecideAsRecorded(file))));
  }

  private static void shouldDecideAsRecorded(Path file) {
    final GoldenTrace trace = GoldenTrace.read(file);

    final int compared = new GoldenReplay(trace).run();

    assertThat(compared).as("operations compared").isPositive();
  }
}
