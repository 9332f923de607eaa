package dev.headway.simulation.fit;

import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.simulation.calibrate.TimedRequest;
import dev.headway.simulation.calibrate.TimedRequests;
import dev.headway.simulation.run.EngineSettings;
import dev.headway.simulation.workload.TraceFormat;
import dev.headway.simulation.workload.TraceReaders;
import dev.headway.simulation.workload.Workload;
import dev.headway.simulation.workload.WorkloadRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a client measured of one run of a server, as a load that can be simulated and the latencies
 * that are the truth. Immutable.
 */
public final class MeasuredRun {

  /** Most requests of a run that are simulated: the first by arrival. */
  public static final int MOST_REQUESTS = 3_000;

  private final String label;
  private final EngineSettings engine;
  private final List<WorkloadRequest> load;
  private final List<@Nullable TimedRequest> measured;
  private final Map<TimedRequests.Omission, Integer> omitted;
  private final int beyond;

  private MeasuredRun(
      String label,
      EngineSettings engine,
      List<WorkloadRequest> load,
      List<@Nullable TimedRequest> measured,
      TimedRequests read,
      int beyond) {
    this.label = label;
    this.engine = engine;
    this.load = List.copyOf(load);
    this.measured = new ArrayList<>(measured);
    this.omitted = new EnumMap<>(TimedRequests.Omission.class);
    this.omitted.putAll(read.omitted());
    this.beyond = beyond;
  }

  /**
   * Reads what was measured. The arrivals, lengths and shared prefixes of a CSV file are those that
   * a replay of it has; other forms have arrivals and lengths only.
   *
   * @param file any that {@link TimedRequests} reads
   * @param engine the limits of the server; its step times are not looked at
   * @throws IOException if it cannot be read, or no request is usable
   */
  public static MeasuredRun read(Path file, EngineSettings engine) throws IOException {
    final TimedRequests read = TimedRequests.readUsable(file);
    final List<WorkloadRequest> load = new ArrayList<>();
    if (file.toString().replace(".gz", "").endsWith(".csv")) {
      try (Workload workload = TraceReaders.open(file, TraceFormat.AUTO)) {
        for (WorkloadRequest next = workload.next(); next != null; next = workload.next()) {
          load.add(next);
        }
      }
    } else {
      read.requests().forEach(request -> load.add(ofTimed(request)));
    }
    return of(file.toString(), engine, load, read);
  }

  /** Of a load and what became of it; requests are matched by their ids. */
  static MeasuredRun of(
      String label, EngineSettings engine, List<WorkloadRequest> load, TimedRequests read)
      throws IOException {
    final Map<String, TimedRequest> byId = new HashMap<>();
    read.requests().forEach(request -> byId.put(request.id(), request));
    final int size = Math.min(MOST_REQUESTS, load.size());
    final List<@Nullable TimedRequest> measured = new ArrayList<>(size);
    int matched = 0;
    for (WorkloadRequest request : load.subList(0, size)) {
      final TimedRequest truth = byId.remove(request.requestId()); // a repeated id has none
      measured.add(truth);
      matched += truth == null ? 0 : 1;
    }
    if (matched == 0) {
      throw new IOException(
          label + " must name the requests that it measured: none has an id of its load");
    }
    return new MeasuredRun(
        label, engine, load.subList(0, size), measured, read, load.size() - size);
  }

  static WorkloadRequest ofTimed(TimedRequest request) {
    return new WorkloadRequest(
        request.id(),
        request.arrivalNs(),
        request.inputTokens(),
        request.outputTokens(),
        new int[0],
        0,
        null,
        0);
  }

  /** The file. */
  public String label() {
    return label;
  }

  /** The limits of the server. */
  public EngineSettings engine() {
    return engine;
  }

  /**
   * The same with no more KV blocks than all requests together could fill: a cache that is never
   * full decides nothing, and takes time to set up in each simulation.
   */
  EngineSettings simulatedEngine() {
    final KvCacheShape cache = engine.kvCache();
    long most = 2;
    for (WorkloadRequest request : load) {
      most += cache.blocksFor(request.inputTokens() + request.outputTokens()) + 1;
    }
    if (most >= cache.numBlocks() || !isPlain(cache)) {
      return engine;
    }
    return engine.withKvCache(plain(cache, (int) most));
  }

  /** Whether all layers are of one kind, as for every model that a command line has. */
  private static boolean isPlain(KvCacheShape cache) {
    return plain(cache, cache.numBlocks()).equals(cache);
  }

  private static KvCacheShape plain(KvCacheShape cache, int blocks) {
    final KvCacheShape.Builder builder =
        KvCacheShape.builder().blockSize(cache.blockSize()).blocks(blocks);
    cache.bytesPerBlock().ifPresent(builder::bytesPerBlock);
    return builder.build();
  }

  /** Requests in the order of arrival. */
  List<WorkloadRequest> load() {
    return load;
  }

  /** What was measured of the request at an index of the load; null if nothing usable was. */
  @Nullable TimedRequest measured(int index) {
    return measured.get(index);
  }

  /** How many requests are simulated. */
  public int size() {
    return load.size();
  }

  /** Rows that were left out, by reason. */
  public Map<TimedRequests.Omission, Integer> omitted() {
    return Map.copyOf(omitted);
  }

  /** What was left out, in words. */
  public Map<String, Integer> omittedByReason() {
    final Map<String, Integer> byReason = new LinkedHashMap<>();
    omitted.forEach((reason, rows) -> byReason.put(reason.label(), rows));
    if (beyond > 0) {
      byReason.put("beyond the first " + MOST_REQUESTS, beyond);
    }
    return byReason;
  }
}
