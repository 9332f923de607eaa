package dev.headway.probes.csv;

import dev.headway.probes.chronicle.JournalEnd;
import dev.headway.probes.csv.option.ConvertOptions;
import dev.headway.probes.csv.table.TextCell;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;

/** The files of a conversion, read back by Commons CSV. */
public record CsvResult(Path directory) {

  public static CsvResult of(EventScript script, Path target) {
    return of(script, target, ConvertOptions.DEFAULT);
  }

  public static CsvResult of(EventScript script, Path target, ConvertOptions options) {
    try (CsvExport export = CsvExport.begin(target, options)) {
      script.playTo(export.visitor());
      export.finish(JournalEnd.clean(script.size()));
      return new CsvResult(target);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public List<Map<String, String>> requests() {
    return rows("per_request.csv");
  }

  public Map<String, String> request(String id) {
    return only("per_request.csv", row -> row.get("request_id").equals(id));
  }

  public List<Map<String, String>> iterations() {
    return rows("per_iteration.csv");
  }

  Map<String, String> iteration(long id) {
    return only("per_iteration.csv", row -> row.get("iteration_id").equals(Long.toString(id)));
  }

  public List<Map<String, String>> iterationRequests() {
    return rows("per_iteration_requests.csv");
  }

  Map<String, String> iterationRequest(long iteration, String id) {
    return only(
        "per_iteration_requests.csv",
        row ->
            row.get("iteration_id").equals(Long.toString(iteration))
                && row.get("request_id").equals(id)
                && !row.get("state").equals("completed"));
  }

  public List<Map<String, String>> events() {
    return rows("events.csv");
  }

  public List<Map<String, String>> events(String type) {
    return events().stream().filter(row -> row.get("event_type").equals(type)).toList();
  }

  List<Map<String, String>> transitions() {
    return rows("state_transitions.csv");
  }

  public String manifest() {
    return text("manifest.json");
  }

  public String text(String file) {
    try {
      return Files.readString(directory.resolve(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The bytes of every file by name. */
  public Map<String, String> allText() {
    final Map<String, String> files = new TreeMap<>();
    try (Stream<Path> list = Files.list(directory)) {
      list.map(file -> file.getFileName().toString()).forEach(name -> files.put(name, text(name)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return files;
  }

  public List<Map<String, String>> rows(String file) {
    try (Reader reader = Files.newBufferedReader(directory.resolve(file));
        CSVParser parser =
            TextCell.FORMAT.builder().setHeader().setSkipHeaderRecord(true).get().parse(reader)) {
      return parser.stream().map(CSVRecord::toMap).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Map<String, String> only(String file, Predicate<Map<String, String>> wanted) {
    final List<Map<String, String>> found = rows(file).stream().filter(wanted).toList();
    if (found.size() != 1) {
      throw new AssertionError("exactly one row must match in " + file + ": rows=" + found);
    }
    return found.get(0);
  }
}
