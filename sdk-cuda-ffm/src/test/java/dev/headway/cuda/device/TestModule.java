package dev.headway.cuda.device;

import java.nio.charset.StandardCharsets;

/** Images for the fake driver, which only looks at the version and knows kernels by name. */
final class TestModule {
  private TestModule() {}

  static byte[] image(String version) {
    return ("//\n.version " + version + "\n.target sm_80\n").getBytes(StandardCharsets.US_ASCII);
  }

  static CudaModule load(CudaDevice device) {
    return device.loadModule("test", image("7.0"));
  }
}
