package dev.headway.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The libraries of the zip, as modules. */
@Tag("distribution")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ModulePathTest {

  /** Needs all libraries, so that all are resolved beside each other. */
  private static final String MODULE =
      """
      module journalled {
        requires dev.headway.cuda;
        requires dev.headway.probes.chronicle;
        requires dev.headway.probes.csv;
        requires dev.headway.probes.dashboard;
        requires dev.headway.probes.otel;
        requires dev.headway.report;
        requires dev.headway.routing;
        requires dev.headway.scheduler;
        requires dev.headway.simulation;
      }
      """;

  private static final String PROGRAM =
      """
      package journalled;

      import dev.headway.api.executor.ExecutorShape;
      import dev.headway.api.kvcache.KvCacheShape;
      import dev.headway.api.request.Request;
      import dev.headway.probes.chronicle.JournalSource;
      import dev.headway.probes.csv.CsvConverter;
      import dev.headway.probes.csv.option.ConvertOptions;
      import dev.headway.scheduler.engine.HeadwayEngine;
      import dev.headway.scheduler.sim.SimulatedExecutor;
      import dev.headway.scheduler.time.SystemNanoClock;
      import java.nio.file.Path;
      import java.util.Map;

      public final class Program {
        public static void main(String[] folders) throws Exception {
          var shape = ExecutorShape.builder()
              .kvCache(KvCacheShape.builder().blockSize(16).blocks(64).build())
              .maxNumSeqs(2)
              .vocabularySize(1_000)
              .build();
          var executor = new SimulatedExecutor(shape, step -> 1_000, new SystemNanoClock(), 1);
          try (var engine = HeadwayEngine.builder(executor)
              .probe("chronicle", Map.of("dir", folders[0]))
              .build()) {
            engine.start(Thread.ofPlatform().factory());
            engine.submit(Request.builder("r", 1, 2, 3).maxTokens(5).build()).await();
          }
          try (var records = JournalSource.open(Path.of(folders[0]))) {
            new CsvConverter(records, Path.of(folders[1]), ConvertOptions.DEFAULT, (n, rows, done) -> {})
                .convert();
          }
        }
      }
      """;

  @TempDir static Path folder;
  private static Path lib;

  private record Compiled(int exitCode, String err) {}

  @BeforeAll
  static void unpack() throws IOException {
    lib = Files.createDirectory(folder.resolve("lib"));
    try (FileSystem zip = FileSystems.newFileSystem(Path.of("target", "headway.zip"));
        Stream<Path> entries = Files.walk(zip.getPath("/"))) {
      for (Path entry : entries.filter(each -> each.toString().endsWith(".jar")).toList()) {
        final String name = entry.getFileName().toString();
        if (!name.startsWith("headway-app-")) {
          Files.copy(entry, lib.resolve(name));
        }
      }
    }
  }

  @Test
  void shouldRecordAndConvertARun() throws Exception {
    final Path classes = folder.resolve("classes");
    final Path csv = folder.resolve("csv");

    assertThat(compile(classes, PROGRAM)).isEqualTo(new Compiled(0, ""));
    final Path out = folder.resolve("out.txt");
    final Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--add-opens=java.base/java.lang.reflect=chronicle.core",
                "--add-exports=java.base/sun.nio.ch=chronicle.core",
                "-Dchronicle.announcer.disable=true",
                "--module-path=" + lib + ":" + classes,
                "--module=journalled/journalled.Program",
                folder.resolve("journal").toString(),
                csv.toString())
            .redirectErrorStream(true)
            .redirectOutput(out.toFile())
            .start();
    try {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("ended").isTrue();
    } finally {
      process.destroyForcibly();
    }

    assertThat(process.exitValue()).as(Files.readString(out)).isZero();
    assertThat(Files.readAllLines(csv.resolve("per_request.csv"))).hasSize(2);
  }

  @Test
  void shouldNotSeeWhatIsNotExported() throws IOException {
    final String program =
        PROGRAM.replace("import java.util.Map;", "import %s;\nimport java.util.Map;");

    final Compiled compiled =
        compile(
            folder.resolve("none"),
            program.formatted("dev.headway.probes.csv.projection.RunProjection"));

    assertThat(compiled.exitCode()).isEqualTo(1);
    assertThat(compiled.err())
        .contains("package dev.headway.probes.csv.projection is not visible")
        .contains("1 error");
  }

  private static Compiled compile(Path classes, String program) throws IOException {
    final Path sources = Files.createTempDirectory(folder, "sources");
    final Path module = Files.writeString(sources.resolve("module-info.java"), MODULE);
    final Path source = Files.writeString(sources.resolve("Program.java"), program);
    final ByteArrayOutputStream err = new ByteArrayOutputStream();
    final int exitCode =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                err,
                List.of(
                        "-proc:none",
                        "-d",
                        classes.toString(),
                        "--module-path=" + lib,
                        module.toString(),
                        source.toString())
                    .toArray(String[]::new));
    return new Compiled(exitCode, err.toString(UTF_8));
  }
}
