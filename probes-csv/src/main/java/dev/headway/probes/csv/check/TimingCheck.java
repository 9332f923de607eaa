package dev.headway.probes.csv.check;

import dev.headway.probes.csv.check.Rule.Finding;
import dev.headway.probes.csv.table.TextCell;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;

/**
 * Holds the files of a conversion to the rules of their timing. A rule about several files is
 * skipped if one of them is not there.
 */
public final class TimingCheck {

  private static final String REQUESTS = "per_request.csv";
  private static final List<String> CHAINS = List.of("router_requests.csv", "node_requests.csv");
  private static final String ITERATIONS = "per_iteration.csv";
  private static final String TRANSITIONS = "state_transitions.csv";
  private static final long LOW_LOAD_WAIT_NS = 100_000_000;

  private final Path requests;
  private final StateIntervals intervals = new StateIntervals();
  private final StepInstants steps = new StepInstants();
  private final List<Verdict> verdicts = new ArrayList<>();

  private TimingCheck(Path requests) {
    this.requests = requests;
  }

  /** Whether a directory holds a file that can be checked. */
  public static boolean hasTimes(Path directory) {
    return Files.exists(directory.resolve(REQUESTS))
        || CHAINS.stream().anyMatch(name -> Files.exists(directory.resolve(name)));
  }

  /**
   * Checks a {@code per_request.csv}, or a directory that holds one, with the files beside it; or
   * the {@code node_requests.csv} or {@code router_requests.csv} of a load generator.
   *
   * @throws IOException if a file cannot be read, or has no column of a {@code per_request.csv}
   * @throws MalformedCellException if a cell that must be a number is none
   */
  public static List<Verdict> run(Path directoryOrFile) throws IOException {
    final Path requests =
        Files.isDirectory(directoryOrFile) ? fileIn(directoryOrFile) : directoryOrFile;
    return isChain(requests) ? runChain(requests) : new TimingCheck(requests).run();
  }

  private static Path fileIn(Path directory) {
    for (String name : CHAINS) {
      if (Files.exists(directory.resolve(name))) {
        return directory.resolve(name);
      }
    }
    return directory.resolve(REQUESTS);
  }

  private static boolean isChain(Path file) throws IOException {
    try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      final String header = lines.readLine();
      return header != null && header.contains(ChainRowRules.MARK);
    }
  }

  private static List<Verdict> runChain(Path requests) throws IOException {
    final List<Rule> rules = ChainRowRules.all();
    read(
        requests,
        columns -> rules.forEach(rule -> rule.header(columns)),
        row -> rules.forEach(rule -> rule.check(row)));
    return rules.stream().map(Rule::verdict).toList();
  }

  private List<Verdict> run() throws IOException {
    final Path iterations = requests.resolveSibling(ITERATIONS);
    final Path transitions = requests.resolveSibling(TRANSITIONS);
    final boolean hasIterations = Files.exists(iterations);
    final boolean hasTransitions = Files.exists(transitions);
    if (hasIterations) {
      read(iterations, columns -> {}, steps::add);
    }
    final Rule everyAdmission = steps.everyAdmission();
    if (hasTransitions) {
      read(
          transitions,
          everyAdmission::header,
          row -> {
            intervals.add(row);
            if (hasIterations) {
              everyAdmission.check(row);
            }
          });
    }
    checkRequests(hasIterations, hasTransitions);
    verdicts.add(
        hasIterations && hasTransitions
            ? everyAdmission.verdict()
            : missing(everyAdmission, hasIterations ? TRANSITIONS : ITERATIONS));
    return verdicts;
  }

  private void checkRequests(boolean hasIterations, boolean hasTransitions) throws IOException {
    final List<Rule> rules = RequestRowRules.all();
    final Rule stateIntervals = intervals.rule();
    final Rule firstScheduled = steps.firstScheduled();
    final Rule lowLoad = lowLoad();
    final List<Rule> joins = List.of(stateIntervals, firstScheduled, lowLoad);
    read(
        requests,
        columns -> {
          requireSome(columns);
          verdicts.add(columnsPresent(columns));
          rules.forEach(rule -> rule.header(columns));
          joins.forEach(rule -> rule.header(columns));
        },
        row -> {
          rules.forEach(rule -> rule.check(row));
          joins.forEach(rule -> rule.check(row));
        });
    rules.forEach(rule -> verdicts.add(rule.verdict()));
    verdicts.add(hasTransitions ? stateIntervals.verdict() : missing(stateIntervals, TRANSITIONS));
    verdicts.add(hasIterations ? firstScheduled.verdict() : missing(firstScheduled, ITERATIONS));
    verdicts.add(hasIterations ? lowLoadVerdict(lowLoad) : missing(lowLoad, ITERATIONS));
  }

  private void requireSome(Set<String> columns) {
    if (RequestRowRules.REQUIRED.stream().noneMatch(columns::contains)) {
      throw new UncheckedIOException(
          new IOException(
              "a per_request.csv must begin with a line of its columns: found="
                  + new TreeSet<>(columns)));
    }
  }

  private static Rule lowLoad() {
    return new Rule(
        "low load",
        "if no request waits in 99 % of all iterations, no first wait lasts 0.1 s",
        List.of("queue_first_ns"),
        row ->
            row.has("queue_first_ns")
                ? Finding.of(row.number("queue_first_ns") < LOW_LOAD_WAIT_NS)
                : Finding.NONE);
  }

  private Verdict lowLoadVerdict(Rule rule) {
    final Verdict verdict = rule.verdict();
    return steps.isLowLoad()
        ? verdict
        : Verdict.skipped(verdict.rule(), verdict.requirement(), "the load is not low");
  }

  private static Verdict columnsPresent(Set<String> columns) {
    final List<String> missing =
        RequestRowRules.REQUIRED.stream().filter(column -> !columns.contains(column)).toList();
    return Verdict.of(
        "columns",
        "per_request.csv has the columns that the rules need",
        RequestRowRules.REQUIRED.size(),
        missing.size(),
        missing.isEmpty() ? "" : "missing=" + missing);
  }

  private static Verdict missing(Rule rule, String file) {
    final Verdict verdict = rule.verdict();
    return Verdict.skipped(verdict.rule(), verdict.requirement(), "no " + file + " beside it");
  }

  private static void read(Path file, Consumer<Set<String>> header, Consumer<CsvRow> rows)
      throws IOException {
    try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8);
        CSVParser parser =
            TextCell.FORMAT.builder().setHeader().setSkipHeaderRecord(true).get().parse(reader)) {
      header.accept(new HashSet<>(parser.getHeaderNames()));
      for (CSVRecord cells : parser) {
        rows.accept(new CsvRow(cells));
      }
    } catch (UncheckedIOException e) {
      final Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new IOException("cannot read " + file + ": " + cause.getMessage(), e);
    }
  }
}
