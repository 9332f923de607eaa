package dev.headway.routing.fpm;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePack;

/**
 * Writes metrics as a MessagePack map with every field present, byte for byte as msgspec does for
 * Dynamo and SGLang: shape F1, or F2 with a {@code timing_scope}. Not thread-safe.
 */
final class ForwardPassEncoder {

  private static final int VERSION = 1;
  private static final int FIELDS = 7;

  private final String workerId;
  private final int rank;
  private final @Nullable String timingScope;
  private final MessageBufferPacker packer = MessagePack.newDefaultBufferPacker();

  ForwardPassEncoder(String workerId, int rank, @Nullable String timingScope) {
    this.workerId = workerId;
    this.rank = rank;
    this.timingScope = timingScope;
  }

  byte[] encode(long counter, ForwardPassMetrics metrics) {
    packer.clear();
    try {
      packer.packMapHeader(timingScope == null ? FIELDS : FIELDS + 1);
      number("version", VERSION);
      packer.packString("worker_id").packString(workerId);
      number("dp_rank", rank);
      number("counter_id", counter);
      if (timingScope != null) {
        packer.packString("timing_scope").packString(timingScope);
      }
      decimal("wall_time", metrics.wallTimeSeconds());
      write(metrics.scheduled());
      write(metrics.queued());
      return packer.toByteArray();
    } catch (IOException e) {
      throw new AssertionError("memory must take what is written", e);
    }
  }

  private void write(ForwardPassMetrics.Scheduled scheduled) throws IOException {
    packer.packString("scheduled_requests").packMapHeader(7);
    number("num_prefill_requests", scheduled.prefillRequests());
    number("sum_prefill_tokens", scheduled.prefillTokens());
    decimal("var_prefill_length", scheduled.prefillLengthVariance());
    number("sum_prefill_kv_tokens", scheduled.prefillKvTokens());
    number("num_decode_requests", scheduled.decodeRequests());
    number("sum_decode_kv_tokens", scheduled.decodeKvTokens());
    decimal("var_decode_kv_tokens", scheduled.decodeKvVariance());
  }

  private void write(ForwardPassMetrics.Queued queued) throws IOException {
    packer.packString("queued_requests").packMapHeader(6);
    number("num_prefill_requests", queued.prefillRequests());
    number("sum_prefill_tokens", queued.prefillTokens());
    decimal("var_prefill_length", queued.prefillLengthVariance());
    number("num_decode_requests", queued.decodeRequests());
    number("sum_decode_kv_tokens", queued.decodeKvTokens());
    decimal("var_decode_kv_tokens", queued.decodeKvVariance());
  }

  private void number(String name, long value) throws IOException {
    packer.packString(name).packLong(value);
  }

  private void decimal(String name, double value) throws IOException {
    packer.packString(name).packDouble(value);
  }
}
