package dev.headway.cli.load;

import dev.headway.api.request.FinishReason;
import dev.headway.events.record.AdmittedRecord;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.KvStoredRecord;
import dev.headway.events.record.QueuedRecord;
import dev.headway.events.record.RecordVisitor;
import dev.headway.events.record.RejectedRecord;
import dev.headway.events.record.RunStartedRecord;
import dev.headway.probes.chronicle.JournalEnd;
import dev.headway.probes.chronicle.JournalSource;
import dev.headway.simulation.workload.LeftOut;
import dev.headway.simulation.workload.RowSource;
import dev.headway.simulation.workload.TraceFormatException;
import dev.headway.simulation.workload.TraceRow;
import dev.headway.simulation.workload.WorkloadRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The requests of a journal, in the order in which they were queued or rejected: arrivals, lengths
 * of prompts and of what was generated, tenants, priorities, adapters, targets for the first token,
 * and which KV blocks prompts share.
 *
 * <p>A prompt's blocks are those that the request made findable and those that it found, the last
 * of which its admission names (since schema 2.8; in older journals they are known if it made one
 * findable behind them): contents are hashes of everything up to the end of a block, so that
 * prompts share exactly the blocks that they shared. Blocks that a request neither stored nor found
 * are its own.
 *
 * <p>Arrivals count from the run's beginning in virtual time, from the first one otherwise. A
 * request that was aborted or missed its deadline is aborted again. Memory: requests queued since
 * the oldest one that has not ended, and a few bytes per block of different content. One thread.
 */
final class JournalRows implements RowSource {
  private static final int BATCH = 1_024;

  /** Ends that came from outside, and will again. */
  private static final Set<String> GIVEN_UP =
      Set.of(
          FinishReason.ABORTED.label(),
          FinishReason.DEADLINE.label(),
          FinishReason.QUEUE_TIMEOUT.label(),
          FinishReason.RUN_TIMEOUT.label());

  /** Ends of an answer that has all its tokens. */
  private static final Set<String> WHOLE =
      Set.of(
          FinishReason.STOP.label(), FinishReason.LENGTH.label(), FinishReason.REPETITION.label());

  private static final String UNKNOWN_PREFIX =
      "requests of whose shared prompt the journal has no blocks";

  private static final String CUT =
      "journal that is cut: what came behind its last record is missing";
  private static final String LIVE = "journal that is still being written: read up to here";

  private final Path directory;
  private final JournalSource source;
  private final Records records = new Records();
  private final BlockIds ids = new BlockIds();
  private final ArrayDeque<Object> pending = new ArrayDeque<>();
  private final Map<Long, RecordedRequest> alive = new HashMap<>();
  private final GivenUp givenUp = new GivenUp();
  private final Map<String, Long> notes = new LinkedHashMap<>();
  private @Nullable RunStartedRecord run;
  private long originNs;
  private boolean hasOrigin;
  private long rows;
  private boolean exhausted;

  private JournalRows(Path directory, JournalSource source) {
    this.directory = directory;
    this.source = source;
  }

  static JournalRows open(Path directory) throws IOException {
    return new JournalRows(directory, JournalSource.open(directory));
  }

  /** The start record of a journal's run. */
  static RunStartedRecord run(Path directory) throws IOException {
    try (JournalRows rows = open(directory)) {
      while (rows.run == null && !rows.exhausted) {
        rows.read();
      }
      if (rows.run == null) {
        throw new TraceFormatException(
            "a journal must have a start record: directory=" + directory, null);
      }
      return rows.run;
    }
  }

  @Override
  public @Nullable TraceRow next() throws IOException {
    while (true) {
      final Object first = pending.peek();
      if (first instanceof RejectedRecord rejected) {
        pending.remove();
        return row(rejected);
      }
      if (first instanceof RecordedRequest request && (request.isComplete() || exhausted)) {
        pending.remove();
        return row(request);
      }
      if (exhausted) {
        return null;
      }
      read();
    }
  }

  private void read() throws IOException {
    if (source.poll(records, BATCH) == 0) {
      exhausted = true;
      givenUp.settle();
      final JournalEnd end = source.conclude(records);
      if (end.state() == JournalEnd.State.DAMAGED) {
        throw new TraceFormatException("a journal must not be damaged: " + end.detail(), null);
      }
      note(end.state() == JournalEnd.State.CUT, CUT);
      note(end.state() == JournalEnd.State.LIVE, LIVE);
    }
  }

  private TraceRow row(RejectedRecord rejected) {
    final long arrivalNs = arrivalNs(rejected.atNs());
    return request(
        arrivalNs,
        rejected.requestId(),
        rejected.promptTokens(),
        rejected.maxTokens(),
        new int[0],
        0,
        rejected.tenant(),
        rejected.priority(),
        WorkloadRequest.NO_ABORT,
        null,
        WorkloadRequest.NO_TARGET);
  }

  private TraceRow row(RecordedRequest recorded) {
    final QueuedRecord queued = recorded.queued;
    final FinishedRecord end = recorded.end();
    final long arrivalNs = arrivalNs(queued.arrivalNs());
    if (end == null) {
      return TraceRow.leftOut(++rows, arrivalNs, LeftOut.NO_END);
    }
    final boolean isAborted = GIVEN_UP.contains(end.reason());
    final boolean isWhole = WHOLE.contains(end.reason());
    final int output = isWhole ? (int) Math.max(0, end.outputTokens()) : queued.maxTokens();
    final int[] prefix = recorded.prefix(ids);
    note(recorded.foundMoreThan(prefix.length), UNKNOWN_PREFIX);
    return request(
        arrivalNs,
        queued.requestId(),
        queued.promptTokens(),
        output,
        prefix,
        recorded.blockSize,
        queued.tenant(),
        queued.priority(),
        isAborted
            ? Math.max(0, recorded.giveUpNs() - queued.arrivalNs())
            : WorkloadRequest.NO_ABORT,
        queued.adapter(),
        queued.ttftTargetNs() > 0 ? queued.ttftTargetNs() : WorkloadRequest.NO_TARGET);
  }

  private TraceRow request(
      long arrivalNs,
      String id,
      int input,
      int output,
      int[] prefix,
      int blockSize,
      @Nullable String tenant,
      int priority,
      long abortAfterNs,
      @Nullable String adapter,
      long ttftTargetNs) {
    rows++;
    if (input == 0 || output == 0) {
      return TraceRow.leftOut(rows, arrivalNs, input == 0 ? LeftOut.NO_INPUT : LeftOut.NO_OUTPUT);
    }
    return TraceRow.of(
        rows,
        new WorkloadRequest(
            id,
            arrivalNs,
            input,
            output,
            prefix,
            prefix.length == 0 ? 0 : blockSize,
            tenant,
            priority,
            abortAfterNs,
            adapter,
            ttftTargetNs));
  }

  private void note(boolean applies, String what) {
    if (applies) {
      notes.merge(what, 1L, Long::sum);
    }
  }

  private long arrivalNs(long ns) {
    return Math.max(0, ns - originNs);
  }

  @Override
  public Map<String, Long> notes() {
    return notes;
  }

  @Override
  public void close() throws IOException {
    source.close();
  }

  private final class Records implements RecordVisitor {
    @Override
    public void onRunStarted(RunStartedRecord started) {
      if (run != null) {
        throw new TraceFormatException(
            "a journal of several runs is no load; name the directory of one, such as "
                + directory.resolve("run-000001"),
            null);
      }
      run = started;
      originNs = started.anchorMonotonicNs();
      hasOrigin = started.virtualTime();
    }

    @Override
    public void onQueued(QueuedRecord queued) {
      originate(queued.arrivalNs());
      givenUp.settleBefore(queued.queuedNs());
      final RecordedRequest request =
          new RecordedRequest(queued, run == null ? 1 : Math.max(1, run.blockSize()));
      pending.add(request);
      alive.put(queued.requestNumber(), request);
    }

    @Override
    public void onRejected(RejectedRecord rejected) {
      originate(rejected.atNs());
      pending.add(rejected);
    }

    private void originate(long firstNs) {
      originNs = hasOrigin ? originNs : firstNs;
      hasOrigin = true;
    }

    @Override
    public void onAdmitted(AdmittedRecord admitted) {
      final RecordedRequest request = alive.get(admitted.requestNumber());
      if (request != null && admitted.kind().equals("new")) {
        request.found(admitted.cachedTokens());
        final int found = admitted.cachedTokens() - admitted.externalTokens();
        if (admitted.prefixHash() != 0 && found % request.blockSize == 0) {
          request.has(found / request.blockSize - 1, ids.of(admitted.prefixHash()));
        }
      }
    }

    @Override
    public void onKvStored(KvStoredRecord stored) {
      final RecordedRequest request = alive.get(stored.requestNumber());
      if (request == null || stored.group() != 0) { // the other groups have the same contents
        return;
      }
      final int position = stored.firstToken() / request.blockSize;
      int before = stored.hasParent() ? ids.of(stored.parent()) : BlockIds.NONE;
      if (position > 0 && before != BlockIds.NONE) {
        request.has(position - 1, before);
      }
      for (int i = 0; i < stored.count(); i++) {
        final int id = ids.of(stored.contentHashes()[i]);
        if (before != BlockIds.NONE) {
          ids.link(before, id);
        }
        request.has(position + i, id);
        before = id;
      }
    }

    @Override
    public void onFinished(FinishedRecord finished) {
      givenUp.settleBefore(finished.atNs());
      final RecordedRequest request = alive.remove(finished.requestNumber());
      if (request != null && GIVEN_UP.contains(finished.reason())) {
        request.endFromOutside(finished);
        givenUp.add(request, finished.atNs());
      } else if (request != null) {
        request.end(finished);
      }
    }
  }
}
