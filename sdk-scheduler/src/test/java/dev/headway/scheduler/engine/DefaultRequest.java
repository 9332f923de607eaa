package dev.headway.scheduler.engine;

import dev.headway.api.engine.Engine;
import dev.headway.api.engine.TokenListener;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.request.Request;
import dev.headway.kvcache.KvCacheManagers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordingFile;

/**
 * Runs a request through an engine without options and prints the source files of Headway whose
 * methods ran, a line each. The JVM counts the calls ({@code jdk.MethodTiming}); what an earlier
 * request has run once for all, such as the initialisers of classes, is not counted.
 */
final class DefaultRequest {

  private static final String OURS = "dev/headway";

  private DefaultRequest() {}

  /** Starts a JVM; without arguments. */
  public static void main(String[] arguments) throws Exception {
    final List<String> classes = new ArrayList<>();
    for (Class<?> ofModule : List.of(Request.class, KvCacheManagers.class, HeadwayEngine.class)) {
      classes.addAll(classesBeside(ofModule));
    }
    final ExecutorShape shape =
        ExecutorShape.builder()
            .kvCache(KvCacheShape.builder().blockSize(16).blocks(4_096).build())
            .maxNumSeqs(64)
            .vocabularySize(1_000)
            .build();
    try (Engine engine = HeadwayEngine.builder(new ScriptedExecutor(shape)).build()) {
      run(engine, "first");
      filesRun(classes, () -> run(engine, "second")).forEach(System.out::println);
    }
  }

  private static void run(Engine engine, String id) {
    final int[] prompt = IntStream.range(0, 40).toArray();
    final var handle =
        engine.submit(Request.builder(id, prompt).maxTokens(40).build(), new TokenListener() {});
    while (!handle.isDone()) {
      engine.step();
    }
  }

  private static SortedSet<String> filesRun(List<String> classes, Runnable measured)
      throws IOException {
    final Path file = Files.createTempFile("path", ".jfr");
    try (Recording recording = new Recording()) {
      recording.enable("jdk.MethodTiming").with("filter", String.join(";", classes));
      recording.start();
      measured.run();
      recording.stop();
      recording.dump(file);
      final SortedSet<String> files = new TreeSet<>();
      for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
        if (event.getEventType().getName().equals("jdk.MethodTiming")
            && event.getLong("invocations") > 0) {
          final RecordedMethod method = event.getValue("method");
          files.add(method.getType().getName().replaceFirst("\\$.*", ""));
        }
      }
      return files;
    } finally {
      Files.delete(file);
    }
  }

  /** The names of all classes in the folder or jar that holds {@code one}. */
  private static List<String> classesBeside(Class<?> one) throws IOException, URISyntaxException {
    final URI place = one.getProtectionDomain().getCodeSource().getLocation().toURI();
    final Path path = Path.of(place);
    if (Files.isDirectory(path)) {
      return classesUnder(path);
    }
    try (FileSystem jar = FileSystems.newFileSystem(path, Map.of())) {
      return classesUnder(jar.getPath("/"));
    }
  }

  private static List<String> classesUnder(Path root) {
    try (Stream<Path> all = Files.walk(root.resolve(OURS))) {
      return all.map(file -> root.relativize(file).toString())
          .filter(name -> name.endsWith(".class") && !name.endsWith("package-info.class"))
          .map(name -> name.substring(0, name.length() - ".class".length()).replace('/', '.'))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
