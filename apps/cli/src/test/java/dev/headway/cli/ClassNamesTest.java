package dev.headway.cli;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** A class of main code is known by its name alone, without its package. */
class ClassNamesTest {

  private static final Path ROOT = Path.of("..", "..");
  private static final Path MAIN = Path.of("src", "main", "java");

  /** Names that several classes have, each with the reason. */
  private static final Map<String, String> SHARED =
      Map.ofEntries(
          entry("AdmissionOptions", "of a router and of a scheduler, which are never set together"),
          entry("Arrivals", "of requests at a load generator and at a router"),
          entry("BlockTables", "the device's, and the test kit's which imitate them"),
          entry("DenseFeedForward", "of the reference and of the CPU's; neither is public"),
          entry("Exchange", "one request and its answer, for a client and for a router"),
          entry("ExpertsFeedForward", "of the reference and of the CPU's; neither is public"),
          entry("Feature", "of a scenario, and the statistician's term"),
          entry("FeedForward", "of the reference and of the CPU's; neither is public"),
          entry("Figure", "of a profile and of a sweep; the field's term for both"),
          entry("ForwardPass", "the device's, and the model of it that is simulated"),
          entry("HeadwayChatModel", "of LangChain4j and of Spring AI; a program has one of them"),
          entry("LeastSquares", "one that forgets, and one with bounds; the field's term"),
          entry("Numbers", "of requests in records, and as text in a sweep; neither is public"),
          entry("Pieces", "of a tokenizer and of a piecewise model; the field's term for both"),
          entry("Options", "of a command line, and of a made-up load; neither is public"),
          entry("PlanCheck", "the simulated executor's beside the real one's"),
          entry("Prompt", "what a client asks, and what a router knows of it"),
          entry("Ranges", "checks of options, and of loads; the second is not public"),
          entry("RequestBody", "the one that a client writes, and the one that a server reads"),
          entry("RequestRules", "of HTTP, and of the scheduler; never in one module"),
          entry("RequestTrace", "spans of the router and of the engine, which one trace joins"),
          entry("Rule", "of the simulation and of a row; never in one module"),
          entry("RunFacts", "of a load's results and of a report; never in one module"),
          entry("RunRows", "of CSV files, and of a fit; neither is public"),
          entry("Scenario", "a named load of the CLI, and a simulated world"),
          entry("Table", "of CSV files, written by two programs"),
          entry("TimedRequest", "as its client saw it, and with the instants of every actor"),
          entry("Worker", "a thread of the journal, not public, and an engine that serves"));

  @Test
  void shouldBeOneForEachClass() throws IOException {
    final Map<String, Set<String>> packages = packagesByName();
    packages.values().removeIf(each -> each.size() == 1);

    assertThat(packages.keySet())
        .as("equal names: rename one, or give the reason here; the packages are %s", packages)
        .containsExactlyInAnyOrderElementsOf(SHARED.keySet());
  }

  /** Every top-level class of a file of its own in the repository's main code. */
  private static Map<String, Set<String>> packagesByName() throws IOException {
    final Map<String, Set<String>> packages = new TreeMap<>();
    Files.walkFileTree(
        ROOT,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes)
              throws IOException {
            final String name = folder.getFileName().toString();
            if (folder.endsWith(MAIN)) {
              collect(folder, packages);
              return FileVisitResult.SKIP_SUBTREE;
            }
            return name.equals("target") || name.equals("node_modules") || name.equals(".git")
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }
        });
    assertThat(packages).as("classes found").hasSizeGreaterThan(1_000);
    return packages;
  }

  private static void collect(Path sources, Map<String, Set<String>> packages) throws IOException {
    try (var files = Files.walk(sources)) {
      files
          .filter(file -> file.toString().endsWith(".java"))
          .filter(file -> !file.getFileName().toString().contains("-"))
          .forEach(
              file ->
                  packages
                      .computeIfAbsent(
                          file.getFileName().toString().replace(".java", ""),
                          each -> new TreeSet<>())
                      .add(sources.relativize(file.getParent()).toString().replace('/', '.')));
    }
  }
}
