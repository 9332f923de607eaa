package dev.headway.probes.otel.export;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import tools.jackson.core.JacksonException;

/**
 * Writes each batch as one line of OTLP-JSON, what the collector's file exporter writes and its
 * {@code otlpjsonfile} receiver reads. One thread.
 */
public final class OtlpJsonFile implements SpanExporter {

  private final Writer out;

  private OtlpJsonFile(Writer out) {
    this.out = out;
  }

  /**
   * Opens a file.
   *
   * @param options such as {@code CREATE_NEW}
   * @throws IOException if it cannot be opened
   */
  public static OtlpJsonFile open(Path file, OpenOption... options) throws IOException {
    // half a surrogate pair in a name becomes a question mark, and does not fail the batch
    return to(new OutputStreamWriter(Files.newOutputStream(file, options), StandardCharsets.UTF_8));
  }

  /**
   * Opens a file, or goes on behind the lines of one that exists. A line that was cut, by a process
   * that died, is left as it is; the next one begins on a line of its own.
   *
   * @throws IOException if it cannot be opened
   */
  public static OtlpJsonFile append(Path file) throws IOException {
    final boolean isCut = isCut(file);
    final OtlpJsonFile opened = open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    if (isCut) {
      opened.out.write('\n');
    }
    return opened;
  }

  private static boolean isCut(Path file) throws IOException {
    if (!Files.isRegularFile(file) || Files.size(file) == 0) {
      return false;
    }
    try (SeekableByteChannel bytes = Files.newByteChannel(file)) {
      final ByteBuffer last = ByteBuffer.allocate(1);
      bytes.position(bytes.size() - 1).read(last);
      return last.get(0) != '\n';
    }
  }

  /** Writes to {@code out}, which is closed with this. */
  public static OtlpJsonFile to(Writer out) {
    return new OtlpJsonFile(new BufferedWriter(out));
  }

  @Override
  public CompletableResultCode export(Collection<SpanData> spans) {
    try {
      final StringWriter line = new StringWriter(); // whole or not at all
      OtlpJson.write(spans, line);
      out.write(line.append('\n').toString());
      return CompletableResultCode.ofSuccess();
    } catch (IOException e) {
      return CompletableResultCode.ofExceptionalFailure(e);
    } catch (JacksonException e) {
      return CompletableResultCode.ofExceptionalFailure(
          new UncheckedIOException(new IOException(e)));
    }
  }

  @Override
  public CompletableResultCode flush() {
    try {
      out.flush();
      return CompletableResultCode.ofSuccess();
    } catch (IOException e) {
      return CompletableResultCode.ofExceptionalFailure(e);
    }
  }

  @Override
  public CompletableResultCode shutdown() {
    try {
      out.close();
      return CompletableResultCode.ofSuccess();
    } catch (IOException e) {
      return CompletableResultCode.ofExceptionalFailure(e);
    }
  }
}
