package dev.headway.sweep.spark;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A standalone cluster of Spark on this machine: a master and two workers with one core each, JVMs
 * of their own on the loopback address. Every process authenticates by a secret from a file that
 * only its owner may read, and encrypts what it says.
 */
final class LoopbackCluster implements AutoCloseable {

  private static final String HOST = "127.0.0.1";

  private static final String WORKER = "org.apache.spark.deploy.worker.Worker";

  /** What the master says of each try: a worker that waits too long for the answer tries again. */
  private static final Pattern REGISTERING = Pattern.compile("Registering worker (\\S+:\\d+) ");

  private final Path directory;
  private final Path settings;
  private final List<WatchedJvm> workers = new ArrayList<>();
  private final List<WatchedJvm> all = new ArrayList<>();
  private String url = "";

  private LoopbackCluster(Path directory, Path settings) {
    this.directory = directory;
    this.settings = settings;
  }

  static LoopbackCluster start(Path directory) throws IOException, InterruptedException {
    final Path settings =
        Files.createFile(
            directory.resolve("spark.properties"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    final LoopbackCluster cluster = new LoopbackCluster(directory, settings);
    try {
      cluster.start();
    } catch (IOException | InterruptedException | RuntimeException | Error e) {
      cluster.close();
      throw e;
    }
    return cluster;
  }

  private void start() throws IOException, InterruptedException {
    linkSparksJars();
    final byte[] secret = new byte[32];
    new Random(42).nextBytes(secret); // of a cluster that lives for a test
    Files.writeString(
        settings,
        """
        spark.authenticate=true
        spark.authenticate.secret=%s
        spark.network.crypto.enabled=true
        spark.master.rest.enabled=false
        """
            .formatted(HexFormat.of().formatHex(secret)));
    final WatchedJvm master =
        daemon("master", "org.apache.spark.deploy.master.Master", "--host", HOST);
    url = master.await(1, "Starting Spark master at (spark://\\S+)");
    for (int i = 1; i <= 2; i++) {
      workers.add(
          daemon(
              "worker " + i,
              WORKER,
              "--host",
              HOST,
              "--cores",
              "1",
              "--memory",
              "1g",
              "--work-dir",
              directory.resolve("worker-" + i).toString(),
              url));
    }
    for (WatchedJvm worker : workers) {
      worker.await(1, "Successfully registered with master ");
    }
    Files.writeString(
        settings,
        Files.readString(settings)
            + """
            spark.master=%s
            spark.driver.host=%s
            spark.driver.bindAddress=%s
            spark.executor.memory=512m
            spark.executor.cores=1
            spark.log.level=INFO
            """
                .formatted(url, HOST, HOST));
  }

  /** All that Spark takes of a distribution is the directory of its jars. */
  private void linkSparksJars() throws IOException {
    final Path jars = Files.createDirectories(sparkHome().resolve("jars"));
    for (String entry : classPath().split(File.pathSeparator)) {
      final Path jar = Path.of(entry);
      if (entry.endsWith(".jar") && !isOurs(entry)) {
        Files.createSymbolicLink(jars.resolve(jar.getFileName()), jar);
      }
    }
  }

  /** What no distribution of Spark has, so that a job must bring it along. */
  private static boolean isOurs(String jar) {
    return Stream.of(
            "headway", "tools/jackson", "snakeyaml-engine", "picocli", "commons-csv", "openhft")
        .anyMatch(jar::contains);
  }

  private static String classPath() {
    // surefire hands the class path over in a manifest and leaves the real one in this property
    final String real = System.getProperty("surefire.test.class.path");
    return real != null ? real : System.getProperty("java.class.path");
  }

  private Path sparkHome() {
    return directory.resolve("spark");
  }

  private WatchedJvm daemon(String name, String main, String... words) throws IOException {
    final List<String> command = new ArrayList<>();
    command.addAll(List.of("-Xmx256m", "-cp", sparkHome().resolve("jars") + "/*", main));
    command.addAll(List.of("--port", "0", "--webui-port", "0"));
    command.addAll(List.of("--properties-file", settings.toString()));
    command.addAll(List.of(words));
    return started(name, command);
  }

  /** Starts a worker that does not know the secret. */
  WatchedJvm startStranger() throws IOException {
    final String jars = sparkHome().resolve("jars") + "/*";
    final String work = directory.resolve("stranger").toString();
    return started(
        "stranger",
        List.of(
            "-Xmx256m",
            "-cp",
            jars,
            WORKER,
            "--host",
            HOST,
            "--cores",
            "1",
            "--memory",
            "1g",
            "--webui-port",
            "0",
            "--work-dir",
            work,
            url));
  }

  /** How many workers the master has taken. */
  long registered() {
    return registered(master().output());
  }

  /** Workers in what a master printed, each once, however often it came. */
  static long registered(String output) {
    return REGISTERING.matcher(output).results().map(found -> found.group(1)).distinct().count();
  }

  private WatchedJvm master() {
    return all.getFirst();
  }

  /** Starts a driver with the jars of a directory and of Spark. */
  WatchedJvm submit(Path lib, Class<?> main, Object... words) throws IOException {
    final List<String> command = new ArrayList<>();
    final String jars = lib + "/*" + File.pathSeparator + sparkHome().resolve("jars") + "/*";
    command.addAll(List.of("-Xmx512m", "-cp", jars, main.getName()));
    command.addAll(List.of("--properties-file", settings.toString()));
    Stream.of(words).map(Object::toString).forEach(command::add);
    return started("driver", command);
  }

  private WatchedJvm started(String name, List<String> command) throws IOException {
    final Map<String, String> environment =
        Map.of(
            "JAVA_HOME",
            System.getProperty("java.home"),
            "SPARK_HOME",
            sparkHome().toString(),
            "SPARK_LOCAL_IP",
            HOST,
            "SPARK_SCALA_VERSION",
            "2.13");
    final WatchedJvm jvm = WatchedJvm.start(name, directory, environment, command);
    all.add(jvm);
    return jvm;
  }

  /** Kills a worker; its executor ends by itself. */
  void killWorker() {
    workers.removeFirst().close();
  }

  @Override
  public void close() {
    all.reversed().forEach(WatchedJvm::close);
  }
}
