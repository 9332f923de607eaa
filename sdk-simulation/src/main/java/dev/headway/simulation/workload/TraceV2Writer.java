package dev.headway.simulation.workload;

import dev.headway.toolbox.csv.CsvTable;
import dev.headway.toolbox.csv.CsvWriter;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The CSV of a BLIS trace that was generated, not measured: what a server would have added is 0,
 * which BLIS reads as "not recorded".
 */
final class TraceV2Writer implements RequestWriter {
  private static final long NANOS_PER_MICRO = 1_000;
  private final CsvWriter<WorkloadRequest> csv;
  private final Losses losses = new Losses();
  private long written;

  TraceV2Writer(Appendable out) throws IOException {
    csv = table().writeTo(out);
  }

  private CsvTable<WorkloadRequest> table() {
    return CsvTable.<WorkloadRequest>of()
        .column("request_id", each -> written)
        .column("client_id", WorkloadRequest::tenant)
        .column("tenant_id", WorkloadRequest::tenant)
        .column("slo_class", each -> null)
        .column("vllm_priority", WorkloadRequest::priority)
        .column("session_id", each -> null)
        .column("round_index", each -> 0)
        .column("prefix_group", TraceV2Writer::group)
        .column("prefix_length", TraceV2Writer::prefix)
        .column("streaming", each -> true)
        .column("input_tokens", each -> each.inputTokens() - prefix(each))
        .column("output_tokens", WorkloadRequest::outputTokens)
        .column("text_tokens", each -> 0)
        .column("image_tokens", each -> 0)
        .column("audio_tokens", each -> 0)
        .column("video_tokens", each -> 0)
        .column("reason_ratio", each -> 0)
        .column("model", each -> null)
        .column("deadline_us", each -> 0)
        .column("server_input_tokens", each -> 0)
        .column("arrival_time_us", TraceV2Writer::arrivalUs)
        .column("send_time_us", TraceV2Writer::arrivalUs)
        .column("first_chunk_time_us", each -> 0)
        .column("last_chunk_time_us", each -> 0)
        .column("num_chunks", each -> 0)
        .column("status", each -> "ok")
        .column("error_message", each -> null)
        .column("finish_reason", each -> null);
  }

  @Override
  public void write(WorkloadRequest request) throws IOException {
    losses.addExtras(request);
    if (request.priority() < 0) {
      throw new IllegalArgumentException(
          "tracev2 has no priority below 0: request=%s, priority=%d"
              .formatted(request.requestId(), request.priority()));
    }
    csv.write(request);
    written++;
    losses.add("prefix tokens behind the first block", request.prefixTokens() - prefix(request));
    losses.add("arrivals rounded to microseconds", restNs(request) == 0 ? 0 : 1);
  }

  private static int prefix(WorkloadRequest request) {
    return Math.min(request.prefixBlockTokens(), request.prefixTokens());
  }

  private static long restNs(WorkloadRequest request) {
    return request.arrivalNs() % NANOS_PER_MICRO;
  }

  private static long arrivalUs(WorkloadRequest request) {
    return request.arrivalNs() / NANOS_PER_MICRO + (2 * restNs(request) / NANOS_PER_MICRO);
  }

  /** BLIS has one length for a group: a prefix that the prompt's end cuts is another group. */
  private static @Nullable String group(WorkloadRequest request) {
    final int prefix = prefix(request);
    if (prefix == 0) {
      return null;
    }
    final String group = "prefix-" + request.prefixBlockIds()[0];
    return prefix == request.prefixBlockTokens() ? group : group + "-" + prefix;
  }

  @Override
  public Losses losses() {
    return losses;
  }
}
