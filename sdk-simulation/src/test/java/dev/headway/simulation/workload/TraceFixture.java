package dev.headway.simulation.workload;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.GZIPOutputStream;

/** Traces written in the test, and their requests. */
final class TraceFixture {
  private TraceFixture() {}

  static Workload trace(TraceFormat format, String... lines) {
    return trace(format, (String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8));
  }

  static Workload trace(TraceFormat format, byte[] bytes) {
    return trace(format, bytes, TraceLimits.DEFAULT);
  }

  static Workload trace(TraceFormat format, byte[] bytes, TraceLimits limits) {
    try {
      return TraceReaders.open("t", new ByteArrayInputStream(bytes), format, limits);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static List<WorkloadRequest> all(Workload workload) {
    return Requests.of(workload);
  }

  static byte[] gzip(byte[] plain) {
    final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
      gzip.write(plain);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  static WorkloadRequest request(String id, long arrivalNs, int input, int output) {
    return new WorkloadRequest(id, arrivalNs, input, output, new int[0], 0, null, 0);
  }

  static WorkloadRequest request(
      String id, long arrivalNs, int input, int output, int blockTokens, int... blocks) {
    return new WorkloadRequest(id, arrivalNs, input, output, blocks, blockTokens, null, 0);
  }
}
