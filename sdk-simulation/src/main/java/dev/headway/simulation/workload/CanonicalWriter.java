package dev.headway.simulation.workload;

import dev.headway.toolbox.csv.CsvTable;
import dev.headway.toolbox.csv.CsvWriter;
import java.io.IOException;
import java.util.Arrays;
import java.util.stream.Collectors;

/** Headway's own CSV, with all columns. */
final class CanonicalWriter implements RequestWriter {
  private static final CsvTable<WorkloadRequest> TABLE =
      CsvTable.<WorkloadRequest>of()
          .column("request_id", WorkloadRequest::requestId)
          .column("arrival_ns", WorkloadRequest::arrivalNs)
          .column("input_tokens", WorkloadRequest::inputTokens)
          .column("output_tokens", WorkloadRequest::outputTokens)
          .column("tenant", WorkloadRequest::tenant)
          .column("priority", WorkloadRequest::priority)
          .column("prefix_block_tokens", each -> isShared(each) ? each.prefixBlockTokens() : null)
          .column("prefix_blocks", each -> isShared(each) ? ids(each) : null);

  private final CsvWriter<WorkloadRequest> csv;
  private final Losses losses = new Losses();

  CanonicalWriter(Appendable out) throws IOException {
    csv = TABLE.writeTo(out);
  }

  @Override
  public void write(WorkloadRequest request) throws IOException {
    losses.addExtras(request);
    csv.write(request);
  }

  private static boolean isShared(WorkloadRequest request) {
    return request.prefixBlockCount() > 0;
  }

  private static String ids(WorkloadRequest request) {
    return Arrays.stream(request.prefixBlockIds())
        .mapToObj(Integer::toString)
        .collect(Collectors.joining(" "));
  }

  @Override
  public Losses losses() {
    return losses;
  }
}
