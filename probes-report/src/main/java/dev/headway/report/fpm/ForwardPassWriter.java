package dev.headway.report.fpm;

import dev.headway.events.model.QueueSums;
import dev.headway.events.model.RunModel;
import dev.headway.toolbox.text.JsonText;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.TimeUnit;

/**
 * Writes a forward-pass-metrics record for each executed step with tokens. One thread.
 *
 * <p>{@link ForwardPasses} says what counts. {@code wall_time} is in seconds; a heartbeat has
 * {@code wall_time} 0.
 */
public final class ForwardPassWriter {

  private static final int VERSION = 1;
  private static final int NO_RANK = 0;
  private static final long HEARTBEAT_NS = TimeUnit.SECONDS.toNanos(1);
  private static final ForwardPass NOTHING =
      new ForwardPass(0, ScheduledSums.nothing(), QueueSums.empty());

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
    return new ForwardPassWriter(out, workerId, false).model();
  }

  /** A consumer for a live engine: a heartbeat comes for each second without a step. */
  public static RunModel live(Appendable out, String workerId) {
    return new ForwardPassWriter(out, workerId, true).model();
  }

  private RunModel model() {
    return new RunModel(new ForwardPasses(this::write, this::beat));
  }

  private void beat() {
    if (heartbeats && System.nanoTime() - latestNs >= HEARTBEAT_NS) {
      write(NOTHING);
    }
  }

  private void write(ForwardPass pass) {
    final ScheduledSums scheduled = pass.scheduled();
    final QueueSums queued = pass.queued();
    json.begin()
        .number("version", VERSION)
        .text("worker_id", workerId)
        .number("dp_rank", NO_RANK)
        .number("counter_id", counter)
        .decimal("wall_time", pass.wallNs() / 1e9);
    json.beginObject("scheduled_requests")
        .number("num_prefill_requests", scheduled.promptLengths().count())
        .number("sum_prefill_tokens", scheduled.prefillTokens())
        .decimal("var_prefill_length", scheduled.promptLengths().variance())
        .number("sum_prefill_kv_tokens", scheduled.prefillContext())
        .number("num_decode_requests", scheduled.decodes().count())
        .number("sum_decode_kv_tokens", scheduled.decodes().sum())
        .decimal("var_decode_kv_tokens", scheduled.decodes().variance())
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
}
