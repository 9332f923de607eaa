package dev.headway.probes.otel.export;

import dev.headway.events.live.NamedOptions;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporterBuilder;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/** Exporters for {@link BatchedExport}. */
public final class Exporters {

  /** Where collectors take traces, behind a base URL. */
  private static final String TRACES_PATH = "/v1/traces";

  private Exporters() {}

  /**
   * Sends spans as OTLP/HTTP with protobuf bodies, over the JDK's HTTP client.
   *
   * @param endpoint of a collector; a URL without a path gets {@code /v1/traces}
   * @param headers of every request, for example an authorization
   * @param timeout of a request
   * @throws IllegalArgumentException if the endpoint is no http or https URL
   */
  public static SpanExporter otlpHttp(
      String endpoint, Map<String, String> headers, Duration timeout) {
    final OtlpHttpSpanExporterBuilder builder =
        OtlpHttpSpanExporter.builder().setEndpoint(tracesUrl(endpoint)).setTimeout(timeout);
    headers.forEach(builder::addHeader);
    return builder.build();
  }

  /**
   * Opens what the options {@code endpoint} or {@code file} name: a collector, or a file that lines
   * of OTLP-JSON are appended to.
   *
   * @param timeout of a request to a collector
   * @throws IOException if the file cannot be written
   * @throws IllegalArgumentException if both options are set, or none, or the endpoint is no URL
   */
  public static SpanExporter named(NamedOptions options, Duration timeout) throws IOException {
    final String file = options.text("file");
    if (file != null && options.text("endpoint") != null) {
      throw new IllegalArgumentException(
          "otlp options endpoint and file must not both be set: endpoint="
              + options.text("endpoint")
              + ", file="
              + file);
    }
    return file != null
        ? OtlpJsonFile.append(Path.of(file))
        : otlpHttp(options.required("endpoint"), Map.of(), timeout);
  }

  private static String tracesUrl(String endpoint) {
    final URI uri;
    try {
      uri = URI.create(endpoint);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(message(endpoint), e);
    }
    final boolean isHttp = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
    if (!isHttp || uri.getHost() == null) {
      throw new IllegalArgumentException(message(endpoint));
    }
    final String path = uri.getPath();
    if (path != null && !path.isEmpty() && !path.equals("/")) {
      return endpoint;
    }
    return endpoint.endsWith("/")
        ? endpoint.substring(0, endpoint.length() - 1) + TRACES_PATH
        : endpoint + TRACES_PATH;
  }

  private static String message(String endpoint) {
    return "endpoint must be an http or https URL such as http://localhost:4318: endpoint="
        + endpoint;
  }
}
