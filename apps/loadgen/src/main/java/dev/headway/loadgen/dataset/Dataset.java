package dev.headway.loadgen.dataset;

import dev.headway.simulation.compare.Load;
import dev.headway.simulation.workload.RequestExtra;
import dev.headway.simulation.workload.TraceFormat;
import dev.headway.simulation.workload.Workload;
import dev.headway.simulation.workload.WorkloadRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The requests of a run.
 *
 * @param name what results call it
 * @param requests in the order in which they are sent
 */
public record Dataset(String name, List<BenchRequest> requests) {

  private static final int MOST_REQUESTS = 5_000_000;

  /** Copies the list. */
  public Dataset {
    requests = List.copyOf(requests);
  }

  /**
   * Reads a load: one that is made up, a trace, ShareGPT's conversations, or JSON lines with
   * prompts. What a simulation takes, this takes, and makes the same requests of it.
   *
   * @param outputTokens of every request, or null for those of the load
   * @param seed of the order of conversations
   * @throws IOException if a file cannot be read or is wrong
   * @throws IllegalArgumentException if there is no such load, or it has no such option
   */
  public static Dataset read(Load load, @Nullable Integer outputTokens, long seed)
      throws IOException {
    final Dataset texts = load.isMade() ? null : readTexts(load, outputTokens, seed);
    if (texts != null) {
      return texts;
    }
    try (Workload workload = load.openWithout(EnumSet.allOf(RequestExtra.class))) {
      final List<BenchRequest> requests = new ArrayList<>();
      for (WorkloadRequest next = workload.next(); next != null; next = workload.next()) {
        if (requests.size() == MOST_REQUESTS) {
          throw new IOException("a run takes at most " + MOST_REQUESTS + " requests; use --limit");
        }
        final BenchRequest request = new BenchRequest(next, null);
        requests.add(outputTokens == null ? request : request.withOutputTokens(outputTokens));
      }
      return new Dataset(load.name(), requests);
    }
  }

  /** The requests of a file that holds texts, or null if it holds none. */
  private static @Nullable Dataset readTexts(Load load, @Nullable Integer outputTokens, long seed)
      throws IOException {
    final Path file = Path.of(load.source());
    final boolean mayBe =
        load.format() == TraceFormat.AUTO || load.format() == TraceFormat.SHAREGPT;
    if (!mayBe || !file.toFile().isFile() || load.source().endsWith(".gz")) {
      return null;
    }
    if (ConversationFile.hasPrompts(file)) {
      return new Dataset(load.name(), ConversationFile.readPrompts(load, outputTokens));
    }
    return ConversationFile.hasConversations(file)
        ? new Dataset(load.name(), ConversationFile.readConversations(load, outputTokens, seed))
        : null;
  }

  /** Whether requests have times of their own: not all come at once. */
  public boolean hasTimes() {
    return requests.stream().anyMatch(request -> request.shape().arrivalNs() > 0);
  }

  /** When each request comes, in nanoseconds after the start. */
  public long[] arrivalsNs() {
    return requests.stream().mapToLong(request -> request.shape().arrivalNs()).toArray();
  }

  /** Whether any request has text of its own. */
  public boolean hasTexts() {
    return requests.stream().map(BenchRequest::prompt).anyMatch(Objects::nonNull);
  }
}
