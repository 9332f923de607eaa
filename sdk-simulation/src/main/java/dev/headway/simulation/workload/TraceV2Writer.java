package dev.headway.simulation.workload;

import java.io.IOException;
import org.apache.commons.csv.CSVPrinter;
import org.jspecify.annotations.Nullable;

/**
 * The CSV of a BLIS trace that was generated, not measured: what a server would have added is 0,
 * which BLIS reads as "not recorded".
 */
final class TraceV2Writer implements RequestWriter {
  private static final long NANOS_PER_MICRO = 1_000;
  private static final String[] COLUMNS =
      ("request_id,client_id,tenant_id,slo_class,vllm_priority,session_id,round_index,"
              + "prefix_group,prefix_length,streaming,input_tokens,output_tokens,text_tokens,"
              + "image_tokens,audio_tokens,video_tokens,reason_ratio,model,deadline_us,"
              + "server_input_tokens,arrival_time_us,send_time_us,first_chunk_time_us,"
              + "last_chunk_time_us,num_chunks,status,error_message,finish_reason")
          .split(",", -1);

  private final CSVPrinter csv;
  private final Losses losses = new Losses();
  private long written;

  TraceV2Writer(Appendable out) throws IOException {
    csv = new CSVPrinter(out, CanonicalWriter.CSV);
    csv.printRecord((Object[]) COLUMNS);
  }

  @Override
  public void write(WorkloadRequest request) throws IOException {
    losses.addExtras(request);
    if (request.priority() < 0) {
      throw new IllegalArgumentException(
          "tracev2 has no priority below 0: request=%s, priority=%d"
              .formatted(request.requestId(), request.priority()));
    }
    final int prefix = Math.min(request.prefixBlockTokens(), request.prefixTokens());
    final long rest = request.arrivalNs() % NANOS_PER_MICRO;
    final long arrivalUs = request.arrivalNs() / NANOS_PER_MICRO + (2 * rest / NANOS_PER_MICRO);
    csv.printRecord(
        written++,
        request.tenant(),
        request.tenant(),
        null,
        request.priority(),
        null,
        0,
        prefix == 0 ? null : group(request, prefix),
        prefix,
        true,
        request.inputTokens() - prefix,
        request.outputTokens(),
        0,
        0,
        0,
        0,
        0,
        null,
        0,
        0,
        arrivalUs,
        arrivalUs,
        0,
        0,
        0,
        "ok",
        null,
        null);
    losses.add("prefix tokens behind the first block", request.prefixTokens() - prefix);
    losses.add("arrivals rounded to microseconds", rest == 0 ? 0 : 1);
  }

  /** BLIS has one length for a group: a prefix that the prompt's end cuts is another group. */
  private static @Nullable String group(WorkloadRequest request, int prefix) {
    final String group = "prefix-" + request.prefixBlockIds()[0];
    return prefix == request.prefixBlockTokens() ? group : group + "-" + prefix;
  }

  @Override
  public Losses losses() {
    return losses;
  }
}
