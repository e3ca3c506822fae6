# The service with the English model: slim, without rights, kernels compiled while the image is built.
#   docker build -t eigenparse . && docker run --rm -p 8000:8000 eigenparse
FROM python:3.12-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE LICENSE-MODEL ./
COPY src src
RUN python -m venv /opt/eigenparse && /opt/eigenparse/bin/pip install --no-cache-dir '.[serve]'

FROM python:3.12-slim
COPY --from=build /opt/eigenparse /opt/eigenparse
ENV PATH=/opt/eigenparse/bin:$PATH NUMBA_CACHE_DIR=/var/cache/eigenparse NUMBA_CPU_NAME=generic
RUN useradd --system --no-create-home eigenparse \
    && install -d -o eigenparse /var/cache/eigenparse
USER eigenparse
RUN eigenparse warm-up --parsing && eigenparse parse en "The old man the boats." --kbest 2 --format json
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://localhost:8000/ready', timeout=4)"]
CMD ["eigenparse", "serve", "en", "--host", "0.0.0.0", "--port", "8000", "--allow-host", "localhost"]
