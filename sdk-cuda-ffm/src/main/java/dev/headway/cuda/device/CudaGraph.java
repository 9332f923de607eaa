package dev.headway.cuda.device;

import static dev.headway.cuda.driver.CudaResult.check;

import dev.headway.cuda.driver.DriverFunction;
import dev.headway.cuda.driver.StreamCalls;

/**
 * Work recorded by {@link CudaStream#capture}, launched as one. Arguments are those of the
 * recording: what varies has to be in device memory. Owner thread only.
 */
public final class CudaGraph extends DeviceResource {
  private final long executable;

  CudaGraph(CudaDevice device, long executable) {
    super(device, "graph");
    this.executable = executable;
  }

  /** Brings it to the device, so that the first launch need not; takes device memory. Cold. */
  public void upload(CudaStream stream) {
    requireOpen();
    check(StreamCalls.cuGraphUpload(executable, stream.handle()), DriverFunction.GRAPH_UPLOAD);
  }

  /** Enqueues all of it. Allocates nothing. */
  public void launch(CudaStream stream) {
    requireOpen();
    check(StreamCalls.cuGraphLaunch(executable, stream.handle()), DriverFunction.GRAPH_LAUNCH);
  }

  @Override
  int release() {
    return StreamCalls.cuGraphExecDestroy(executable);
  }

  @Override
  DriverFunction releaseCall() {
    return DriverFunction.GRAPH_EXEC_DESTROY;
  }
}
