package dev.headway.cli.option;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server of OpenAI's protocol that answers at once and keeps what it was sent. */
final class RecordingServer implements AutoCloseable {

  private static final Pattern TOKENS = Pattern.compile("\"max(?:_completion)?_tokens\":(\\d+)");
  private static final List<String> USUAL_HEADERS =
      List.of(
          "Host",
          "User-agent",
          "Accept",
          "Connection",
          "Content-length",
          "X-request-id",
          "Traceparent");

  /** What a router asks now and then. */
  private static final Set<String> POLLED =
      Set.of("GET /", "GET /health", "GET /server_info", "GET /get_load", "GET /metrics");

  private final List<String> requests = Collections.synchronizedList(new ArrayList<>());
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpServer server;

  RecordingServer() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.setExecutor(threads);
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** The requests since the last call, each once, with what is unusual of its headers. */
  String taken() {
    synchronized (requests) {
      final String text = String.join("\n", new TreeSet<>(requests));
      requests.clear();
      return text;
    }
  }

  private void answer(HttpExchange exchange) throws IOException {
    final String body =
        new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    final Map<String, List<String>> headers = new TreeMap<>(exchange.getRequestHeaders());
    headers.keySet().removeAll(USUAL_HEADERS);
    if (POLLED.contains(exchange.getRequestMethod() + " " + exchange.getRequestURI())) {
      exchange.sendResponseHeaders(200, -1);
      exchange.close();
      return;
    }
    requests.add(
        exchange.getRequestMethod() + " " + exchange.getRequestURI() + " " + headers + " " + body);
    if (exchange.getRequestURI().getPath().startsWith("/failing/v1/completions")) {
      exchange.sendResponseHeaders(400, -1);
      exchange.close();
      return;
    }
    final byte[] answer =
        answer(exchange.getRequestURI().getPath(), body).getBytes(StandardCharsets.UTF_8);
    exchange
        .getResponseHeaders()
        .set(
            "Content-Type",
            body.contains("\"stream\":true") ? "text/event-stream" : "application/json");
    exchange.sendResponseHeaders(200, answer.length);
    exchange.getResponseBody().write(answer);
    exchange.close();
  }

  private static String answer(String path, String body) {
    if (path.endsWith("/models")) {
      return "{\"object\":\"list\",\"data\":[{\"id\":\"m\",\"object\":\"model\"}]}";
    }
    if (!path.endsWith("/completions")) {
      return "{}";
    }
    final Matcher asked = TOKENS.matcher(body);
    final int tokens = asked.find() ? Integer.parseInt(asked.group(1)) : 1;
    final boolean isChat = path.contains("chat");
    final String usage =
        "\"usage\":{\"prompt_tokens\":8,\"completion_tokens\":%1$d,\"total_tokens\":%1$d}"
            .formatted(tokens);
    if (!body.contains("\"stream\":true")) {
      return "{\"choices\":[{\"index\":0,\"finish_reason\":\"length\","
          + (isChat ? "\"message\":{\"role\":\"assistant\",\"content\":\"t\"}" : "\"text\":\"t\"")
          + "}],"
          + usage
          + "}";
    }
    final StringBuilder events = new StringBuilder();
    for (int i = 0; i < tokens; i++) {
      events
          .append("data: {\"choices\":[{\"index\":0,")
          .append(isChat ? "\"delta\":{\"content\":\"t\"}" : "\"text\":\"t\"")
          .append(",\"finish_reason\":")
          .append(i == tokens - 1 ? "\"length\"" : "null")
          .append("}]}\n\n");
    }
    return events + "data: {\"choices\":[]," + usage + "}\n\ndata: [DONE]\n\n";
  }

  @Override
  public void close() {
    server.stop(0);
    threads.close();
  }
}
