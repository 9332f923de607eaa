package dev.headway.report.fpm;

import dev.headway.events.model.QueueSums;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.RunListener;
import dev.headway.events.model.RunModel;
import dev.headway.events.model.StepEntries;
import dev.headway.events.model.StepTimeline;
import dev.headway.events.model.TokenMoments;
import dev.headway.events.text.JsonText;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.TimeUnit;

/**
 * Writes a forward-pass-metrics record for each executed step with tokens. One thread.
 *
 * <p>The scheduled part is as it was planned, the queued part as it is when the step completes, and
 * both are joined by the number of the step. {@code wall_time} is the host's: from the begin of
 * scheduling to the output taken over, in seconds. A heartbeat has {@code wall_time} 0.
 *
 * <p>Prefill is what computes prompts or computes again; {@code sum_prefill_tokens} are chunks,
 * {@code sum_prefill_kv_tokens} the context they read. A preempted request is a queued decode with
 * the context that it must compute again.
 */
public final class ForwardPassWriter implements RunListener {

  private static final int VERSION = 1;
  private static final int NO_RANK = 0;
  private static final long HEARTBEAT_NS = TimeUnit.SECONDS.toNanos(1);
  private static final Scheduled NOTHING_SCHEDULED = new Scheduled();
  private static final QueueSums NOTHING_QUEUED = QueueSums.empty();

  private final Appendable out;
  private final String workerId;
  private final boolean heartbeats;
  private final JsonText json = new JsonText();
  private long counter;
  private long latestNs = System.nanoTime();

  private ForwardPassWriter(Appendable out, String workerId, boolean heartbeats) {
    this.out = out;
    this.workerId = workerId;
    this.heartbeats = heartbeats;
  }

  /** A consumer for a journal. */
  public static RunModel ofJournal(Appendable out, String workerId) {
    return new RunModel(new ForwardPassWriter(out, workerId, false));
  }

  /** A consumer for a live engine: a heartbeat comes for each second without a step. */
  public static RunModel live(Appendable out, String workerId) {
    return new RunModel(new ForwardPassWriter(out, workerId, true));
  }

  @Override
  public void onStep(StepTimeline step) {
    if (step.wasExecuted() && step.areEntriesKnown() && step.plan().totalTokens() > 0) {
      final long wallNs = step.endNs() - step.plan().beginNs();
      write(wallNs, Scheduled.of(step.entries()), step.run().sums());
    }
  }

  @Override
  public void flush() {
    if (heartbeats && System.nanoTime() - latestNs >= HEARTBEAT_NS) {
      write(0, NOTHING_SCHEDULED, NOTHING_QUEUED);
    }
  }

  private void write(long wallNs, Scheduled scheduled, QueueSums queued) {
    json.begin()
        .number("version", VERSION)
        .text("worker_id", workerId)
        .number("dp_rank", NO_RANK)
        .number("counter_id", counter)
        .decimal("wall_time", wallNs / 1e9);
    json.beginObject("scheduled_requests")
        .number("num_prefill_requests", scheduled.promptLengths.count())
        .number("sum_prefill_tokens", scheduled.chunks)
        .decimal("var_prefill_length", scheduled.promptLengths.variance())
        .number("sum_prefill_kv_tokens", scheduled.contexts)
        .number("num_decode_requests", scheduled.decodes.count())
        .number("sum_decode_kv_tokens", scheduled.decodes.sum())
        .decimal("var_decode_kv_tokens", scheduled.decodes.variance())
        .endObject();
    json.beginObject("queued_requests")
        .number("num_prefill_requests", queued.neverAdmitted().count())
        .number("sum_prefill_tokens", queued.neverAdmitted().sum())
        .decimal("var_prefill_length", queued.neverAdmitted().variance())
        .number("num_decode_requests", queued.preempted().count())
        .number("sum_decode_kv_tokens", queued.preempted().sum())
        .decimal("var_decode_kv_tokens", queued.preempted().variance())
        .endObject();
    try {
      out.append(json.endInBuffer()).append('\n');
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write after " + counter + " records: " + e, e);
    }
    counter++;
    latestNs = System.nanoTime();
  }

  /** What a step computes. */
  private static final class Scheduled {
    private final TokenMoments promptLengths = new TokenMoments();
    private final TokenMoments decodes = new TokenMoments();
    private long chunks;
    private long contexts;

    static Scheduled of(StepEntries entries) {
      final Scheduled scheduled = new Scheduled();
      for (int entry = 0; entry < entries.size(); entry++) {
        if (entries.entryClass(entry).countsAsPrefill()) {
          final RequestTimeline request = entries.request(entry);
          scheduled.promptLengths.add(
              request == null
                  ? entries.computedTokens(entry) + entries.scheduledTokens(entry)
                  : request.queued().promptTokens());
          scheduled.chunks += entries.scheduledTokens(entry);
          scheduled.contexts += entries.computedTokens(entry);
        } else {
          scheduled.decodes.add(entries.computedTokens(entry));
        }
      }
      return scheduled;
    }
  }
}
