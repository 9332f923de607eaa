package dev.headway.report.trace;

import dev.headway.toolbox.text.JsonText;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Writes trace events, one a line. Instants and durations are microseconds with three decimals, so
 * that nanoseconds stay exact; they are never written through a float. Not thread-safe.
 */
final class TraceFile implements AutoCloseable {

  private static final int FLUSH_CHARS = 1 << 16;
  private static final long NS_PER_US = 1_000;

  private final Writer writer;
  private final StringBuilder out = new StringBuilder(2 * FLUSH_CHARS);
  private boolean isFirst = true;
  private long events;

  TraceFile(OutputStream stream) {
    this.writer = new OutputStreamWriter(stream, StandardCharsets.US_ASCII);
    out.append("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
  }

  /** Arguments of an event, as members of a JSON object. */
  static final class Arguments {
    private final StringBuilder json = new StringBuilder();

    Arguments put(String name, long value) {
      name(name).append(value);
      return this;
    }

    Arguments put(String name, @Nullable String value) {
      if (value != null) {
        JsonText.appendString(name(name), value);
      }
      return this;
    }

    private StringBuilder name(String name) {
      json.append(json.isEmpty() ? "" : ",");
      JsonText.appendString(json, name);
      return json.append(':');
    }
  }

  /** The name of a process or thread. */
  void name(String kind, long pid, long tid, String name) {
    begin(kind, "M", pid, tid);
    out.append(",\"args\":{\"name\":");
    JsonText.appendString(out, name);
    out.append("}}");
  }

  /** Position of a process or thread among the others. */
  void order(String kind, long pid, long tid, long index) {
    begin(kind, "M", pid, tid);
    out.append(",\"args\":{\"sort_index\":").append(index).append("}}");
  }

  /** A slice. */
  void slice(
      long pid,
      long tid,
      String name,
      @Nullable String color,
      long fromNs,
      long toNs,
      Arguments arguments) {
    begin(name, "X", pid, tid);
    at(fromNs);
    out.append(",\"dur\":");
    micros(toNs - fromNs);
    if (color != null) {
      out.append(",\"cname\":\"").append(color).append('"');
    }
    end(arguments);
  }

  /** The values of a counter from an instant on. */
  void counter(String name, long pid, long atNs, Arguments values) {
    begin(name, "C", pid, 0);
    at(atNs);
    end(values);
  }

  /** A point in time. */
  void instant(long pid, long tid, String name, long atNs, Arguments arguments) {
    begin(name, "i", pid, tid);
    at(atNs);
    out.append(",\"s\":\"t\"");
    end(arguments);
  }

  /** One end of an arrow between slices. */
  void arrow(long pid, long tid, String name, String phase, long id, long atNs) {
    begin(name, phase, pid, tid);
    at(atNs);
    out.append(",\"id\":").append(id);
    if (phase.equals("f")) {
      out.append(",\"bp\":\"e\"");
    }
    out.append('}');
  }

  /** Events written. */
  long events() {
    return events;
  }

  @Override
  public void close() throws IOException {
    out.append("\n]}\n");
    writer.append(out);
    writer.close();
  }

  private void begin(String name, String phase, long pid, long tid) {
    if (out.length() >= FLUSH_CHARS) {
      flush();
    }
    out.append(isFirst ? "\n{\"name\":" : ",\n{\"name\":");
    isFirst = false;
    events++;
    JsonText.appendString(out, name);
    out.append(",\"cat\":\"headway\",\"ph\":\"").append(phase).append("\",\"pid\":").append(pid);
    out.append(",\"tid\":").append(tid);
  }

  private void at(long ns) {
    out.append(",\"ts\":");
    micros(ns);
  }

  private void end(Arguments arguments) {
    out.append(",\"args\":{").append(arguments.json).append("}}");
  }

  private void micros(long ns) {
    out.append(ns < 0 ? "-" : "").append(Math.abs(ns) / NS_PER_US).append('.');
    final long rest = Math.abs(ns) % NS_PER_US;
    out.append((char) ('0' + rest / 100)).append((char) ('0' + rest / 10 % 10));
    out.append((char) ('0' + rest % 10));
  }

  private void flush() {
    try {
      writer.append(out);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write the trace: " + e.getMessage(), e);
    }
    out.setLength(0);
  }
}
