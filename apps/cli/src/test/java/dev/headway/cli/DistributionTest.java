package dev.headway.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The zip that {@code mvn package} leaves, unpacked and started by its script. */
@Tag("distribution")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DistributionTest {

  private static final String POLICY =
      """
      import dev.headway.api.policy.*;
      public final class Own implements PolicyProvider {
        public String name() { return "own"; }
        public String description() { return "Victim: none. No options."; }
        public Policies create(PolicyContext context) {
          return Policies.builder().victim((needy, blocks, step) -> VictimPolicy.STALL).build();
        }
      }
      """;

  @TempDir static Path folder;
  private static Path home;
  private static Path script;

  private record Run(int exitCode, String out, String err) {}

  @BeforeAll
  static void unpack() throws IOException {
    final URI zip = URI.create("jar:" + Path.of("target", "headway.zip").toUri());
    try (FileSystem files =
            FileSystems.newFileSystem(zip, Map.of("enablePosixFileAttributes", true));
        Stream<Path> entries = Files.walk(files.getPath("/"))) {
      for (Path entry : entries.skip(1).toList()) {
        final Path file = folder.resolve(entry.toString().substring(1));
        Files.copy(entry, file);
        Files.setPosixFilePermissions(file, Files.getPosixFilePermissions(entry));
      }
    }
    try (Stream<Path> homes = Files.list(folder)) {
      home = homes.findFirst().orElseThrow();
    }
    script = home.resolve("bin/headway");
  }

  @Test
  void shouldPrintItsVersionThroughALinkFromAnywhere() throws Exception {
    final Path link = Files.createSymbolicLink(folder.resolve("link"), script);

    final Run run = run(link, Map.of(), "--version");

    assertThat(run.err()).isEmpty();
    assertThat(run.exitCode()).isZero();
    assertThat(run.out())
        .startsWith("headway " + home.getFileName().toString().substring("headway-".length()))
        .contains("Java " + Runtime.version());
  }

  @Test
  void shouldPassTheProgramsExitCodeOn() throws Exception {
    final Run run = run(script, Map.of(), "nonsense");

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
  }

  /** The JVM announces an incubator module in a line, whether it is used or not. */
  @ParameterizedTest
  @CsvSource({
    "serve --port none, true",
    "serve --executor simulated --port none, false",
    "serve --executor=simulated --port none, false",
    "replay none --executor simulated, false"
  })
  void shouldHaveVectorsWhereSomethingIsComputed(String words, boolean vectors) throws Exception {
    final Run run = run(script, Map.of(), words.split(" "));

    assertThat(run.exitCode()).isPositive();
    assertThat(run.err().contains("incubator")).as(run.err()).isEqualTo(vectors);
  }

  @Test
  void shouldRunAPolicyOfTheUsersJar() throws Exception {
    final String[] words = {"compare", "short-long(requests=20,rate=5)", "--policy", "own", "-q"};

    final Run without = run(script, Map.of(), words);
    final Run with = run(script, Map.of("HEADWAY_CLASSPATH", userJar().toString()), words);

    assertThat(without.exitCode()).isEqualTo(2);
    assertThat(without.err()).contains("own");
    assertThat(with.err()).isEmpty();
    assertThat(with.exitCode()).isZero();
  }

  @Test
  void shouldRefuseAClassPathThatIsNotThere() throws Exception {
    final Path jars = Files.createDirectories(folder.resolve("own jars"));
    final Path empty = Files.createFile(folder.resolve("empty.jar"));

    final Run file = run(script, Map.of("HEADWAY_CLASSPATH", empty + ":no.jar"), "--version");
    final Run wildcard = run(script, Map.of("HEADWAY_CLASSPATH", "no/*"), "--version");
    final Run there =
        run(script, Map.of("HEADWAY_CLASSPATH", jars + "/*:" + jars + "::*"), "--version");

    assertThat(file.exitCode()).isEqualTo(2);
    assertThat(file.err()).isEqualTo("headway: HEADWAY_CLASSPATH: no such file: no.jar\n");
    assertThat(wildcard.exitCode()).isEqualTo(2);
    assertThat(wildcard.err()).isEqualTo("headway: HEADWAY_CLASSPATH: no such directory: no\n");
    assertThat(there.err()).isEmpty();
    assertThat(there.exitCode()).isZero();
  }

  /** What cannot be used is passed over without a word. */
  @Test
  void shouldUseWhatWasMadeAheadOfTimeWhereItCan() throws Exception {
    final Run made = run(home.resolve("bin/headway-aot"), Map.of());
    final Path cache = home.resolve("lib/headway.aot");
    final String option = "-Xlog:class+load=info";

    final Run with = run(script, Map.of("HEADWAY_OPTS", option), "--version");
    final Run server = run(script, Map.of(), "serve", "--help");
    final Run otherHeap =
        run(script, Map.of("HEADWAY_OPTS", "-XX:-UseCompressedOops"), "--version");

    assertThat(made.err()).isEmpty();
    assertThat(made.out()).isEqualTo("headway-aot: made " + cache.toRealPath() + "\n");
    assertThat(with.out())
        .containsPattern("dev\\.headway\\.cli\\.HeadwayCli source: shared objects file");
    assertThat(server.exitCode()).isZero();
    assertThat(server.err()).isEmpty(); // no word of the module that only computing needs
    assertThat(otherHeap.err()).isEmpty();
    assertThat(otherHeap.exitCode()).isZero();
    Files.delete(cache);
  }

  @ParameterizedTest
  @CsvSource({
    "demo, '', Using Serial",
    "route, '', Using G1",
    "serve, '', Using G1",
    "route, -XX:+UseZGC, Using The Z Garbage Collector",
    "demo, -Xmx1g -XX:+UseG1GC, Using G1"
  })
  void shouldCollectGarbageBesideTheWorkOfServers(String command, String options, String said)
      throws Exception {
    final Run run = run(script, Map.of("HEADWAY_OPTS", options + " -Xlog:gc"), command, "--help");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).contains(said);
  }

  /** A page of help has ended before the second compiler could be of use. */
  @ParameterizedTest
  @CsvSource({"--help, 1", "--version, 1", "nonsense, 4"})
  void shouldCompileOnceWhereNothingIsComputed(String word, int level) throws Exception {
    final Run run = run(script, Map.of("HEADWAY_OPTS", "-XX:+PrintFlagsFinal"), word);

    assertThat(run.out()).containsPattern("TieredStopAtLevel +=" + " " + level + " ");
  }

  @Test
  void shouldSayWhichJavaIsNeeded() throws Exception {
    final Path java = Files.createDirectories(folder.resolve("java17/bin")).resolve("java");
    Files.writeString(java, "#!/bin/sh\necho '    java.specification.version = 17' >&2\n");
    Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwxr-xr-x"));
    final Path nowhere = folder.resolve("nowhere");

    final Run old = run(script, Map.of("JAVA_HOME", folder.resolve("java17").toString()), "demo");
    final Run none = run(script, Map.of("JAVA_HOME", nowhere.toString()), "demo");

    assertThat(old.exitCode()).isEqualTo(1);
    assertThat(old.err())
        .isEqualTo(
            "headway: Java 25 or newer is needed, set JAVA_HOME to the home of one: java="
                + java
                + ", version=17\n");
    assertThat(none.exitCode()).isEqualTo(1);
    assertThat(none.err())
        .isEqualTo(
            "headway: Java 25 or newer is needed, set JAVA_HOME to the home of one: java="
                + nowhere
                + "/bin/java, version=none\n");
  }

  /** An image has the Java that it was made with; only HEADWAY_JAVA_HOME is asked before it. */
  @Test
  void shouldRunOnTheJavaOfAnImage() throws Exception {
    final Map<String, String> nowhere = Map.of("JAVA_HOME", folder.resolve("nowhere").toString());
    final Path own =
        Files.createSymbolicLink(home.resolve("jdk"), Path.of(System.getProperty("java.home")));
    try {
      final Run image = run(script, nowhere, "--version");
      final Run other =
          run(script, Map.of("HEADWAY_JAVA_HOME", nowhere.get("JAVA_HOME")), "--version");

      assertThat(image.err()).isEmpty();
      assertThat(image.exitCode()).isZero();
      assertThat(other.exitCode()).isEqualTo(1);
    } finally {
      Files.delete(own);
    }
  }

  /** A jar with a policy, compiled against the API of the distribution. */
  private static Path userJar() throws IOException {
    final Path source = Files.writeString(folder.resolve("Own.java"), POLICY);
    final int result =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, "-cp", apiJar().toString(), source.toString());
    assertThat(result).as("exit code of javac").isZero();
    final Path jar = folder.resolve("own.jar");
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream entries = new JarOutputStream(file)) {
      entries.putNextEntry(new JarEntry("Own.class"));
      entries.write(Files.readAllBytes(folder.resolve("Own.class")));
      entries.putNextEntry(new JarEntry("META-INF/services/dev.headway.api.policy.PolicyProvider"));
      entries.write("Own\n".getBytes(UTF_8));
    }
    return jar;
  }

  /** As in a shell: the variables, {@code headway serve}, a client, Ctrl-C. */
  @Test
  void shouldRecordWhatTheSwitchesAskFor() throws Exception {
    final Path logs = folder.resolve("logs");
    final Path profile = folder.resolve("profile.jsonl");
    final Path out = Files.createTempFile(folder, "serve", ".txt");
    final ProcessBuilder builder =
        new ProcessBuilder(script.toString(), "serve", "--port", "0", "--executor", "simulated");
    builder.redirectErrorStream(true).redirectOutput(out.toFile());
    builder
        .environment()
        .putAll(
            Map.of(
                "JAVA_HOME",
                System.getProperty("java.home"),
                "VLLM_SCHEDULER_LOGGING",
                "1",
                "VLLM_SCHEDULER_LOG_DIR",
                logs.toString(),
                "VLLM_ENABLE_SCHEDULER_PROFILING",
                "true",
                "VLLM_SCHEDULER_PROFILING_LOG",
                profile.toString(),
                "VLLM_SCHEDULER_PROFILING_CONSOLE",
                "true"));
    final Process serve = builder.start();
    try {
      final Matcher address = Pattern.compile("http://127[.]0[.]0[.]1:\\d+").matcher("");
      until(() -> address.reset(Files.readString(out)).find());
      final HttpRequest request =
          HttpRequest.newBuilder(URI.create(address.group() + "/v1/completions"))
              .POST(BodyPublishers.ofString("{\"prompt\":\"Hello\",\"max_tokens\":4}"))
              .build();
      try (HttpClient client = HttpClient.newHttpClient()) {
        assertThat(client.send(request, BodyHandlers.discarding()).statusCode()).isEqualTo(200);
      }
      until(() -> Files.exists(logs.resolve("per_request.csv"))); // while it still serves
    } finally {
      serve.destroy();
      assertThat(serve.waitFor(60, TimeUnit.SECONDS)).as("ended").isTrue();
    }

    assertThat(Files.readString(out))
        .contains(
            "probe csv in " + logs + " by VLLM_SCHEDULER_LOGGING=1, VLLM_SCHEDULER_LOG_DIR=" + logs)
        .contains("probe profile in " + profile + " by VLLM_ENABLE_SCHEDULER_PROFILING=true")
        .contains("scheduler profiling: ");
    for (String each :
        List.of("per_request", "per_iteration", "per_iteration_requests", "events")) {
      assertThat(Files.readAllLines(logs.resolve(each + ".csv"))).as(each).hasSizeGreaterThan(1);
    }
    assertThat(Files.readAllLines(profile)).hasSizeGreaterThanOrEqualTo(4);
  }

  private static void until(Callable<Boolean> condition) throws Exception {
    final long untilNs = System.nanoTime() + 60_000_000_000L;
    while (!condition.call()) {
      assertThat(System.nanoTime()).as("in 60 s").isLessThan(untilNs);
      Thread.sleep(20);
    }
  }

  private static Path apiJar() throws IOException {
    try (Stream<Path> jars = Files.list(home.resolve("lib"))) {
      return jars.filter(jar -> jar.getFileName().toString().startsWith("headway-api-"))
          .findFirst()
          .orElseThrow();
    }
  }

  private static Run run(Path program, Map<String, String> environment, String... words)
      throws IOException, InterruptedException {
    final Path out = Files.createTempFile(folder, "out", ".txt");
    final Path err = Files.createTempFile(folder, "err", ".txt");
    final ProcessBuilder builder =
        new ProcessBuilder(Stream.concat(Stream.of(program.toString()), Stream.of(words)).toList());
    builder.directory(folder.toFile()).redirectOutput(out.toFile()).redirectError(err.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("HEADWAY_"));
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().putAll(environment);
    final Process process = builder.start();
    try {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("ended").isTrue();
    } finally {
      process.destroyForcibly();
    }
    return new Run(process.exitValue(), Files.readString(out), Files.readString(err));
  }
}
