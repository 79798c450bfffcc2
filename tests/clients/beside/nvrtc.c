/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stands in for NVIDIA's compiler, libnvrtc.so, which belongs to the toolkit: hashcat lists CUDA
 * devices, and libgpuarray starts, only where this library opens. It compiles nothing: every
 * function refuses but those that tell its version and name a failure.
 */
enum { INTERNAL_ERROR = 11 };

#define REFUSE(name)           \
    int name(void);            \
    int name(void)             \
    {                          \
        return INTERNAL_ERROR; \
    }

REFUSE(nvrtcAddNameExpression)
REFUSE(nvrtcCompileProgram)
REFUSE(nvrtcCreateProgram)
REFUSE(nvrtcDestroyProgram)
REFUSE(nvrtcGetLoweredName)
REFUSE(nvrtcGetPTX)
REFUSE(nvrtcGetPTXSize)
REFUSE(nvrtcGetProgramLog)
REFUSE(nvrtcGetProgramLogSize)

const char *nvrtcGetErrorString(int code);
const char *nvrtcGetErrorString(int code)
{
    return code ? "nvrtc refuses: it is a stand-in" : "success";
}

int nvrtcVersion(int *major, int *minor);
int nvrtcVersion(int *major, int *minor)
{
    *major = 11;
    *minor = 2;
    return 0;
}
